import type { components, operations } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type AuditEntry = components['schemas']['AuditEntryResponse'];
export type AuditFilter = NonNullable<operations['exportAuditLog']['parameters']['query']>;

export function useAuditLog(filter: AuditFilter) {
  return usePaged({
    key: ['audit', filter],
    read: (cursor, signal) =>
      bodyOf(
        api.GET('/api/v0/organization/audit-log', { params: { query: { ...filter, limit: 50, cursor } }, signal }),
      ),
    rowsOf: ({ entries }) => entries,
  });
}

/** Everything that the filter finds, as CSV. */
export function auditCsvAddress(filter: AuditFilter): string {
  return `/api/v0/organization/audit-log/export?${new URLSearchParams(filter).toString()}`;
}
