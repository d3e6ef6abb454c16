import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import { toPageRequest } from '../../http/paging/paging.js';
import { ListOrganizationMessagesQuery, MessagesResponse, toMessagesResponse } from './messages.dto.js';
import { OrganizationMessagesService } from './organization-messages.service.js';

@ApiTags('Messages')
@Controller('api/v0/organization/sessions/:sessionId/messages')
@Access(Role.Owner)
export class OrganizationMessagesController {
  constructor(private readonly messages: OrganizationMessagesService) {}

  /**
   * Lists the messages of anybody's session
   * @remarks Newest first, for owners. 403 unless the setting `sessionContentAccess` of the organization is `owners`. Every
   * page that is read is an entry `session.content_read` in the audit log.
   */
  @Get()
  @ApiProblems('invalid_request', 'not_found')
  async listOrganizationMessages(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Query() query: ListOrganizationMessagesQuery,
  ): Promise<MessagesResponse> {
    const page = toPageRequest(query, caller, 'organization-messages', { sessionId, role: query.role });
    return toMessagesResponse(await this.messages.list(caller, sessionId, page, query.role), page);
  }
}
