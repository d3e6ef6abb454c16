import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { AppConfig } from './app-config.js';

@Module({})
export class ConfigModule {
  static of(config: AppConfig, clock: Clock): DynamicModule {
    const providers = [
      { provide: AppConfig, useValue: config },
      { provide: Clock, useValue: clock },
    ];
    return { module: ConfigModule, global: true, providers, exports: [AppConfig, Clock] };
  }
}
