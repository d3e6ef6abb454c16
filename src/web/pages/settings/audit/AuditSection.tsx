import { auditCsvAddress, useAuditLog } from '../../../api/audit.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { CsvButton } from '../../../ui/CsvButton.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { useOwnSearch } from '../use-own-search.js';
import { AuditFilters } from './AuditFilters.js';
import { AuditTable } from './AuditTable.js';
import { filterOf, readAuditSearch } from './search.js';

export function AuditSection() {
  const [search, change] = useOwnSearch(readAuditSearch);
  const filter = filterOf(search);
  return (
    <Card title="Audit log" actions={<CsvButton address={auditCsvAddress(filter)} name="audit-log" />}>
      <AuditFilters search={search} onChange={change} />
      <Asked query={useAuditLog(filter)} empty={({ rows }) => (rows.length === 0 ? <Nothing /> : null)}>
        {(list) => (
          <>
            <AuditTable entries={list.rows} onFilter={change} />
            <LoadMore list={list} />
          </>
        )}
      </Asked>
    </Card>
  );
}

function Nothing() {
  return (
    <>
      <strong>No entry matches</strong>
      <p>Take a filter away. An actor is found by e-mail address or id, a target by its whole id.</p>
    </>
  );
}
