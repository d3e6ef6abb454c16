import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ClosedComputerTurns } from './closed-computer-turns.js';
import { ConnectedAgents } from './connected-agents.js';
import { ExpiredTurnsJob } from './expired-turns.job.js';
import { ExpiredTurnsService } from './expired-turns.service.js';
import { SecretReleasesRepository } from './secret-releases.repository.js';
import { TurnControls } from './turn-controls.js';
import { TurnProgressService } from './turn-progress.service.js';
import { TurnRecorder } from './turn-recorder.js';
import { TurnsRepository } from './turns.repository.js';
import { TurnsService } from './turns.service.js';

@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule],
  providers: [
    ClosedComputerTurns,
    ConnectedAgents,
    ExpiredTurnsJob,
    ExpiredTurnsService,
    SecretReleasesRepository,
    TurnControls,
    TurnProgressService,
    TurnRecorder,
    TurnsRepository,
    TurnsService,
  ],
  exports: [ConnectedAgents, TurnProgressService, TurnsService],
})
export class TurnsModule {}
