import type { OrganizationSession } from '../../api/sessions.js';
import type { SessionsSearch } from './search.js';
import styles from './Sessions.module.css';

interface Props {
  readonly search: SessionsSearch;
  readonly onChoose: (change: SessionsSearch) => void;
  /** Among whose people one can be chosen. */
  readonly rows: readonly OrganizationSession[];
}

/** By person and day. */
export function OrganizationFilters({ search: { user = '', since = '', until = '' }, onChoose, rows }: Props) {
  const people = new Map(rows.map(({ userId, userEmail }) => [userId, userEmail ?? 'Erased person']));
  return (
    <div className={styles.filters}>
      <select aria-label="Person" value={user} onChange={({ target }) => onChoose({ user: target.value || undefined })}>
        <option value="">Everybody</option>
        {[...people]
          .sort(([, a], [, b]) => a.localeCompare(b))
          .map(([id, email]) => (
            <option key={id} value={id}>
              {email}
            </option>
          ))}
        {user !== '' && !people.has(user) && <option value={user}>One person</option>}
      </select>
      <label>
        Begun from{' '}
        <input type="date" value={since} onChange={({ target }) => onChoose({ since: target.value || undefined })} />
      </label>
      <label>
        to <input type="date" value={until} onChange={({ target }) => onChoose({ until: target.value || undefined })} />
      </label>
    </div>
  );
}
