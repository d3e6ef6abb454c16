import { useTeamNames } from '../../api/teams.js';
import { Button } from '../../ui/Button.js';
import type { Filter } from './search.js';
import styles from './Usage.module.css';

const NAMES: Readonly<Record<Filter, string>> = {
  model: 'Model',
  team_id: 'Team',
  client: 'Client',
  user_id: 'Person',
};

interface Props {
  readonly filters: Readonly<Partial<Record<Filter, string>>>;
  readonly onRemove: (filter: Filter) => void;
}

/** What the figures are limited to; a click takes a limit away. */
export function Filters({ filters, onRemove }: Props) {
  const teams = useTeamNames({ isEnabled: filters.team_id !== undefined });
  const shown = (name: Filter, value: string) =>
    name === 'team_id' ? (teams.data?.find(({ id }) => id === value)?.name ?? value) : value;
  const entries = Object.entries(filters) as [Filter, string][];
  if (entries.length === 0) return null;
  return (
    <div className={styles.filters} role="group" aria-label="Limited to">
      {entries.map(([name, value]) => (
        <Button key={name} onClick={() => onRemove(name)}>
          {NAMES[name]}: {shown(name, value)} <span aria-hidden="true">×</span>
          <span className="visually-hidden">, remove</span>
        </Button>
      ))}
    </div>
  );
}
