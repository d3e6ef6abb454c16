import { useComputersById } from '../../api/computers.js';
import { type SessionsSearch, STATUSES } from './search.js';
import styles from './Sessions.module.css';

interface Props {
  readonly search: SessionsSearch;
  readonly onChoose: (change: SessionsSearch) => void;
}

/** By computer and status. */
export function Filters({ search: { computer = '', status }, onChoose }: Props) {
  const computers = [...(useComputersById().data?.values() ?? [])];
  const isKnown = computer === '' || computers.some(({ computerId }) => computerId === computer);
  return (
    <div className={styles.filters}>
      <select
        aria-label="Computer"
        value={computer}
        onChange={({ target }) => onChoose({ computer: target.value || undefined })}
      >
        <option value="">All computers</option>
        {computers.map(({ computerId, name }) => (
          <option key={computerId} value={computerId}>
            {name}
          </option>
        ))}
        {!isKnown && <option value={computer}>A deleted computer</option>}
      </select>
      <select
        aria-label="Status"
        value={status ?? ''}
        onChange={({ target }) => onChoose({ status: (target.value || undefined) as SessionsSearch['status'] })}
      >
        <option value="">Any status</option>
        {Object.entries(STATUSES).map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
