import { Module } from '@nestjs/common';
import { ComputersModule } from '../computers/computers.module.js';
import { OrganizationModule } from '../organization/organization.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { MessagesController } from './messages.controller.js';
import { OrganizationMessagesController } from './organization-messages.controller.js';
import { OrganizationMessagesService } from './organization-messages.service.js';
import { MessagesService } from './messages.service.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [OrganizationModule, ComputersModule, SessionsModule, TurnsModule],
  controllers: [SearchController, MessagesController, OrganizationMessagesController],
  providers: [MessagesService, OrganizationMessagesService, SearchRepository, SearchService],
  exports: [MessagesService],
})
export class MessagesModule {}
