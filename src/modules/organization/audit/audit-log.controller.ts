import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { AuditLogResponse, toAuditLogResponse } from './audit-log.dto.js';
import { AuditLogService } from './audit-log.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/audit-log')
@Access(Role.Owner)
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  /**
   * Lists every administrative change
   * @remarks Who did what to what, with the state before and after, newest first. An entry is written together with the
   * change: one does not exist without the other.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listAuditLog(@CurrentPrincipal() caller: Principal, @Query() query: PageQuery): Promise<AuditLogResponse> {
    const page = toPageRequest(query, caller, 'audit-log');
    return toAuditLogResponse(await this.auditLog.list(caller, page), page);
  }
}
