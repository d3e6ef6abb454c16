import { useMe } from '../../../api/me.js';
import { textOf } from '../address-text.js';
import { useOwnSearch } from '../use-own-search.js';
import { TeamEditor } from './TeamEditor.js';
import { TeamsList } from './TeamsList.js';

const readTeamsSearch = (raw: Record<string, unknown>) => ({ team: textOf(raw.team) });

/** The teams, or the people of one of them. */
export function TeamsSection() {
  const [{ team }] = useOwnSearch(readTeamsSearch);
  const mayChange = useMe().data?.role === 'owner';
  return team ? <TeamEditor key={team} teamId={team} mayChange={mayChange} /> : <TeamsList mayChange={mayChange} />;
}
