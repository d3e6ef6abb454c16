import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { ACCESS_RULE } from '../../src/common/access/access.decorator.js';
import { listRoutes } from '../../src/http/server/route-table.js';
import { AppConfig } from '../../src/config/app-config.js';
import { MeController } from '../../src/modules/organization/me/me.controller.js';
import { createApp } from '../../src/setup-app.js';

describe('a route that declares no access', () => {
  it('is named by the error that takes the place of the route table', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get()
      read(): string {
        return 'open to everybody';
      }
    }
    @Module({ imports: [DiscoveryModule], controllers: [ForgottenController] })
    class ForgottenModule {}
    const nest = await NestFactory.create(ForgottenModule, new FastifyAdapter(), { logger: false });

    expect(() => listRoutes(nest)).toThrow('ForgottenController.read declares no access');
    await nest.close();
  });

  it('keeps the whole service from starting', async () => {
    const rule = Reflect.getMetadata(ACCESS_RULE, MeController) as unknown;
    Reflect.deleteMetadata(ACCESS_RULE, MeController);
    try {
      const starting = createApp(AppConfig.fromEnv({ PORT: '0' }), pino({ level: 'silent' }));
      await expect(starting).rejects.toThrow('MeController.getMe declares no access');
    } finally {
      Reflect.defineMetadata(ACCESS_RULE, rule, MeController);
    }
  });
});
