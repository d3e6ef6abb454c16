import { Global, Module } from '@nestjs/common';
import { OpenStreams } from './streams/open-streams.js';

@Global()
@Module({ providers: [OpenStreams], exports: [OpenStreams] })
export class HttpModule {}
