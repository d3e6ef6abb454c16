import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../api/me.js';
import { Button } from '../../ui/Button.js';
import { Choice } from '../../ui/Choice.js';
import { Page } from '../../ui/Page.js';
import { NewSession } from './NewSession.js';
import { OrganizationSessions } from './OrganizationSessions.js';
import { OwnSessions } from './OwnSessions.js';
import { SearchField } from './SearchField.js';
import { SearchResults } from './SearchResults.js';
import { readSessionsSearch, type SessionsSearch } from './search.js';
import styles from './Sessions.module.css';

const WHOSE = { own: 'Mine', organization: 'Everybody’s' } as const;

/** One's own sessions; owners and managers may see that of others there were some. */
export function SessionsPage() {
  const search = readSessionsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const role = useMe().data?.role;
  const isLeading = role === 'owner' || role === 'manager';
  const ofAll = isLeading && search.of === 'organization';
  const choose = (change: SessionsSearch) => void navigate({ to: '.', search: (now) => ({ ...now, ...change }) });
  return (
    <Page
      title="Sessions"
      actions={
        <Button kind="primary" onClick={() => setNew(true)}>
          New session
        </Button>
      }
    >
      <div className={styles.bar}>
        {isLeading && (
          <Choice
            name="Whose"
            value={ofAll ? 'organization' : 'own'}
            options={WHOSE}
            onChoose={(whose) => choose({ of: whose === 'organization' ? whose : undefined, q: undefined })}
          />
        )}
        {!ofAll && <SearchField value={search.q ?? ''} onSearch={(q) => choose({ q: q || undefined })} />}
      </div>
      {ofAll && <OrganizationSessions search={search} onChoose={choose} />}
      {!ofAll && search.q !== undefined && <SearchResults words={search.q} />}
      {!ofAll && search.q === undefined && <OwnSessions search={search} onChoose={choose} onNew={() => setNew(true)} />}
      {isNew && <NewSession onClose={() => setNew(false)} />}
    </Page>
  );
}
