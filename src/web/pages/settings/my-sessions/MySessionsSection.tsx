import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { Confirm } from '../../../ui/Confirm.js';
import { SessionsTable } from './SessionsTable.js';
import styles from '../parts.module.css';

/** The browsers in which one is signed in; each can be signed out from here. */
export function MySessionsSection() {
  const [isAsked, setAsked] = useState(false);
  const query = useQuery({
    queryKey: ['console-sessions'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/me/sessions', { signal })),
  });
  const others = query.data?.sessions.filter(({ current }) => !current).length ?? 0;
  const endOthers = useAction({
    run: () => bodyOf(api.DELETE('/api/v0/me/sessions')),
    changes: ['console-sessions'],
    done: 'All other browsers are signed out.',
    onDone: () => setAsked(false),
  });
  return (
    <Card
      title="Where I am signed in"
      actions={
        <Button disabled={others === 0} onClick={() => setAsked(true)}>
          Sign out everywhere else
        </Button>
      }
    >
      <p className={styles.note}>
        Browsers that show this console. A browser is signed out after 12 hours without use, and after 7 days in any
        case.
      </p>
      <Asked query={query}>{({ sessions }) => <SessionsTable sessions={sessions} />}</Asked>
      {isAsked && (
        <Confirm
          title="Sign out everywhere else"
          verb="Sign out"
          isRunning={endOthers.isPending}
          onConfirm={() => endOthers.mutate()}
          onClose={() => setAsked(false)}
        >
          {others === 1 ? 'One other browser is' : `${others} other browsers are`} signed out within a second. This one
          stays.
        </Confirm>
      )}
    </Card>
  );
}
