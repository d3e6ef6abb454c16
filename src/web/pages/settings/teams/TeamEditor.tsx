import { Link } from '@tanstack/react-router';
import { type Team, useTeam } from '../../../api/teams.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { MembershipsForm } from './MembershipsForm.js';

/** Who is, was and will be in a team. */
export function TeamEditor({ teamId, mayChange }: { teamId: string; mayChange: boolean }) {
  const team = useTeam(teamId);
  return (
    <Card
      title={team.data?.name ?? 'Team'}
      actions={
        <Link to="/settings/$section" params={{ section: 'teams' }}>
          All teams
        </Link>
      }
    >
      <Asked query={team} empty={(found) => (found ? null : <Gone />)}>
        {(found) => <MembershipsForm key={JSON.stringify(found)} team={found as Team} mayChange={mayChange} />}
      </Asked>
    </Card>
  );
}

function Gone() {
  return (
    <>
      <strong>There is no such team</strong>
      <p>It may have been deleted. All teams are in the list.</p>
    </>
  );
}
