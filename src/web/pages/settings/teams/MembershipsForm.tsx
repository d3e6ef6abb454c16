import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { useMembersById } from '../../../api/members.js';
import type { Team, TeamMember } from '../../../api/teams.js';
import { Button } from '../../../ui/Button.js';
import { AddMembership } from './AddMembership.js';
import { MembershipRows } from './MembershipRows.js';
import { type Placed, placeProblem } from './memberships.js';
import styles from '../parts.module.css';

const STEP = 50;
const NOTHING: Placed = { byRow: new Map(), rest: null };

/** The list of a team is saved as a whole. */
export function MembershipsForm({ team, mayChange }: { team: Team; mayChange: boolean }) {
  const [members, setMembers] = useState<readonly TeamMember[]>(team.members);
  const [shown, setShown] = useState(STEP);
  const [wrong, setWrong] = useState(NOTHING);
  const rows = members.slice(0, shown);
  const people = useMembersById(rows.map(({ userId }) => userId)).data;
  const emailOf = (userId: string) => people?.get(userId)?.email ?? '';
  const change = (next: readonly TeamMember[]) => {
    setMembers(next);
    setWrong(NOTHING);
  };
  const action = useAction({
    run: () =>
      bodyOf(
        api.PUT('/api/v0/organization/teams/{teamId}/members', {
          params: { path: { teamId: team.id } },
          body: { members: [...members] },
        }),
      ),
    changes: ['teams', 'members', 'breakdown'],
    done: 'Saved. Figures of these days count for the team.',
    onProblem: (problem) => {
      if (![400, 404, 409].includes(problem.status)) return false;
      setWrong(placeProblem(problem, members, emailOf));
      return true;
    },
  });
  return (
    <div className={styles.form}>
      <p className={styles.note}>
        Figures of a day count for the team in which a person is on that day; everybody is in one team a day at most.
        Set a last day when somebody leaves. Taking a row away also takes away the past: those figures then count for no
        team.
      </p>
      {mayChange && <AddMembership onAdd={(member) => change([member, ...members])} />}
      {members.length === 0 ? (
        <p className={styles.note}>Nobody is in this team.</p>
      ) : (
        <MembershipRows
          rows={rows}
          people={people}
          wrong={wrong.byRow}
          mayChange={mayChange}
          onChange={(next) => change([...next, ...members.slice(shown)])}
        />
      )}
      {members.length > shown && (
        <div className={styles.actions}>
          <Button onClick={() => setShown(shown + STEP)}>Show more</Button>
          <span className={styles.note}>
            {shown} of {members.length}
          </span>
        </div>
      )}
      {wrong.rest && (
        <p className={styles.problem} role="alert">
          {wrong.rest}
        </p>
      )}
      {mayChange && (
        <div className={styles.end}>
          <Button disabled={members === team.members} onClick={() => change(team.members)}>
            Discard changes
          </Button>
          <Button
            kind="primary"
            disabled={members === team.members || action.isPending}
            onClick={() => action.mutate()}
          >
            Save
          </Button>
        </div>
      )}
    </div>
  );
}
