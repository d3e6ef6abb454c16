import { SelectField, TextField } from '../../../ui/Field.js';
import { SearchField } from '../SearchField.js';
import { ACTIONS, type AuditSearch } from './search.js';
import styles from '../parts.module.css';

interface Props {
  readonly search: AuditSearch;
  readonly onChange: (next: AuditSearch) => void;
}

export function AuditFilters({ search, onChange }: Props) {
  const { actor = '', action = '', target = '', since = '', until = '' } = search;
  const actions = action in ACTIONS ? ACTIONS : { ...ACTIONS, [action]: action };
  return (
    <div className={styles.filters}>
      <SearchField
        label="Actor"
        placeholder="E-mail, id, operator"
        value={actor}
        onChange={(next) => onChange({ actor: next })}
      />
      <SelectField
        label="Action"
        value={action}
        options={actions}
        onChange={({ target: { value } }) => onChange({ action: value })}
      />
      <SearchField label="Target" placeholder="Id" value={target} onChange={(next) => onChange({ target: next })} />
      <TextField
        label="From (UTC)"
        type="date"
        value={since}
        onChange={({ target: { value } }) => onChange({ since: value })}
      />
      <TextField
        label="To (UTC)"
        type="date"
        value={until}
        onChange={({ target: { value } }) => onChange({ until: value })}
      />
    </div>
  );
}
