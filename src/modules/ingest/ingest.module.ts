import { Module } from '@nestjs/common';
import { EventNamesRepository } from './event-names.repository.js';
import { EventNamesService } from './event-names.service.js';
import { EventPartitions } from './event-partitions.js';
import { EventStorageJob } from './event-storage.job.js';
import { EventWriter } from './event-writer.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { IntakeCounts } from './intake/intake-counts.js';
import { IntakeDaysRepository } from './intake/intake-days.repository.js';
import { NewEventHandlers } from './new-event-handlers.js';
import { EventUsersRepository } from './event-users.repository.js';
import { SessionClientsRepository } from './session-clients.repository.js';
import { UsageRecorder } from './usage-recorder.js';

/** Usage events in: validated, deduplicated, durable. */
@Module({
  controllers: [IngestController],
  providers: [
    EventNamesRepository,
    EventNamesService,
    EventPartitions,
    EventStorageJob,
    EventWriter,
    EventsRepository,
    IngestService,
    IntakeCounts,
    IntakeDaysRepository,
    NewEventHandlers,
    EventUsersRepository,
    SessionClientsRepository,
    UsageRecorder,
  ],
  exports: [EventPartitions, IngestService, IntakeCounts, NewEventHandlers, UsageRecorder],
})
export class IngestModule {}
