import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { toDownload } from '../../../http/streams/download.js';
import { CredentialWatch } from '../credentials/credential-watch.js';
import { toAuditLogCsv } from './audit-log-csv.js';
import {
  AuditFilterQuery,
  AuditLogResponse,
  ListAuditLogQuery,
  toAuditFilter,
  toAuditLogResponse,
} from './audit-log.dto.js';
import { AuditLogService } from './audit-log.service.js';

const CSV = 'text/csv';
const EXAMPLE = `id,at,actorId,actorEmail,action,target,before,after,requestId\r
01980f70-7c11-7a3b-9d0e-0a4f3b1c2d4e,2026-11-15T08:30:00.000Z,,,user.changed,01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e,,,\r
`;

@ApiTags('Organization')
@Controller('api/v0/organization/audit-log')
@Access(Role.Owner)
export class AuditLogController {
  constructor(
    private readonly auditLog: AuditLogService,
    private readonly credentials: CredentialWatch,
  ) {}

  /**
   * Lists every administrative change
   * @remarks Who did what to what, with the state before and after, newest first. An entry is written together with the
   * change: one does not exist without the other. The filters can be combined.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listAuditLog(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ListAuditLogQuery,
  ): Promise<AuditLogResponse> {
    const { actor, action, target, from, to } = query;
    const page = toPageRequest(query, caller, 'audit-log', { actor, action, target, from, to });
    return toAuditLogResponse(await this.auditLog.list(caller, toAuditFilter(query), page), page);
  }

  /**
   * Exports the audit log
   * @remarks As CSV, newest first, all entries that match; `before` and `after` are JSON. Text that a spreadsheet would run
   * as a formula begins with an apostrophe.
   */
  @Get('export')
  @ApiOkResponse({
    description: 'The entries.',
    content: { [CSV]: { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems('invalid_request')
  exportAuditLog(@CurrentPrincipal() caller: Principal, @Query() query: AuditFilterQuery): StreamableFile {
    const lines = toAuditLogCsv(this.auditLog.listAll(caller, toAuditFilter(query)));
    return toDownload(lines, { type: CSV, name: 'audit-log.csv' }, (end) => this.credentials.watch(caller, end));
  }
}
