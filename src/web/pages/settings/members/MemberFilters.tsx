import { type MemberFilter, ROLES } from '../../../api/members.js';
import { useTeamNames } from '../../../api/teams.js';
import { SelectField } from '../../../ui/Field.js';
import { SearchField } from '../SearchField.js';
import { STATES } from './search.js';
import styles from '../parts.module.css';

interface Props {
  readonly filter: MemberFilter;
  readonly onChange: (next: { search?: string; role?: string; state?: string; team?: string }) => void;
}

export function MemberFilters({ filter, onChange }: Props) {
  const teams = useTeamNames().data ?? [];
  const teamNames = Object.fromEntries(teams.map(({ id, name }) => [id, name]));
  return (
    <div className={styles.filters}>
      <SearchField
        label="Search"
        placeholder="Name or e-mail address"
        value={filter.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <SelectField
        label="Role"
        value={filter.role ?? ''}
        options={{ '': 'All roles', ...ROLES }}
        onChange={({ target }) => onChange({ role: target.value })}
      />
      <SelectField
        label="State"
        value={filter.state ?? ''}
        options={{ '': 'All states', ...STATES }}
        onChange={({ target }) => onChange({ state: target.value })}
      />
      <SelectField
        label="Team today"
        value={filter.team ?? ''}
        options={{ '': 'All teams', none: 'No team', ...teamNames }}
        onChange={({ target }) => onChange({ team: target.value })}
      />
    </div>
  );
}
