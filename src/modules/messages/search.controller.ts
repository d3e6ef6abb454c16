import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { toPageRequest } from '../../common/http/paging.js';
import { SearchQuery, SearchResponse, toSearchResponse } from './search.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('Sessions')
@Controller('api/v0/sessions/search')
@Access(Role.Owner, Role.Manager, Role.Member)
export class SearchController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Searches your messages
   * @remarks Full text over the messages of your own sessions, newest first, with the places where the words occur.
   */
  @Get()
  @ApiProblems('invalid_request')
  async searchMessages(@CurrentPrincipal() caller: Principal, @Query() query: SearchQuery): Promise<SearchResponse> {
    const page = toPageRequest(query, caller, 'search', { q: query.q });
    return toSearchResponse(await this.messages.search(caller, query.q, page), page);
  }
}
