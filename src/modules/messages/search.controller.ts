import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { toPageRequest } from '../../http/paging/paging.js';
import { SearchQuery, SearchResponse, toSearchResponse } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('Sessions')
@Controller('api/v0/sessions/search')
@Access(Role.Owner, Role.Manager, Role.Member)
export class SearchController {
  constructor(private readonly search: SearchService) {}

  /**
   * Searches your messages
   * @remarks Full text over the messages of your own sessions, newest first, with the places where the words occur. A search
   * looks for about a second; then the page has what was found until there, possibly nothing, with `hasMore: true` and a
   * `nextCursor` that goes on behind the last message that was looked at. So go on until `hasMore` is false. At most two
   * searches of a user run at once; more wait for a few seconds and then get 503.
   */
  @Get()
  @ApiProblems('invalid_request')
  async searchMessages(@CurrentPrincipal() caller: Principal, @Query() query: SearchQuery): Promise<SearchResponse> {
    const page = toPageRequest(query, caller, 'search', { q: query.q });
    return toSearchResponse(await this.search.search(caller, query.q, page), page);
  }
}
