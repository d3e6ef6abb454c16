import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { LiveController } from './live.controller.js';
import { LiveHub } from './live-hub.js';
import { LiveReads } from './live-reads.js';
import { LiveService } from './live.service.js';

/** One event stream for everything that a page shows. */
@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule],
  controllers: [LiveController],
  providers: [LiveHub, LiveReads, LiveService],
})
export class LiveModule {}
