import { useNavigate, useSearch } from '@tanstack/react-router';
import { Choice } from '../../ui/Choice.js';
import { Page } from '../../ui/Page.js';
import { CriteriaCard } from './CriteriaCard.js';
import { RepositoriesCard } from './RepositoriesCard.js';
import { readReadinessSearch, type ReadinessSearch, SHOWN } from './search.js';

/** How ready the repositories are for agents. */
export function ReadinessPage() {
  const { show, find } = readReadinessSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const choose = (next: ReadinessSearch, replace = false) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ...next }), replace });
  const onFind = (text: string) => choose({ find: text || undefined }, true);
  return (
    <Page title="Readiness">
      <Choice name="By" value={show} options={SHOWN} onChoose={(next) => choose({ show: next })} />
      {show === 'repositories' ? (
        <RepositoriesCard find={find} onFind={onFind} />
      ) : (
        <CriteriaCard find={find} onFind={onFind} />
      )}
    </Page>
  );
}
