import { Global, Module } from '@nestjs/common';
import { OpenStreams } from './streams/open-streams.js';

/** What controllers of every module use. */
@Global()
@Module({ providers: [OpenStreams], exports: [OpenStreams] })
export class HttpModule {}
