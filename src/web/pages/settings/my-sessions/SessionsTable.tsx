import type { components } from 'openapi-types';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { ago, instant } from '../../../format.js';
import { Badge } from '../../../ui/Badge.js';
import { Button } from '../../../ui/Button.js';
import { DataTable } from '../../../ui/DataTable.js';
import { browserName } from './browser-name.js';

type ConsoleSession = components['schemas']['ConsoleSessionResponse'];

const METHODS: Readonly<Record<ConsoleSession['method'], string>> = {
  sso: 'single sign-on',
  key: 'an API key',
  link: 'a one-time link',
};

export function SessionsTable({ sessions }: { sessions: readonly ConsoleSession[] }) {
  const end = useAction({
    run: (consoleSessionId: string) =>
      bodyOf(api.DELETE('/api/v0/me/sessions/{consoleSessionId}', { params: { path: { consoleSessionId } } })),
    changes: ['console-sessions'],
    done: 'That browser is signed out.',
  });
  const now = Date.now();
  return (
    <DataTable
      caption="Browsers"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Browser', show: ({ userAgent }) => <span title={userAgent}>{browserName(userAgent)}</span> },
        { name: 'Signed in with', show: ({ method }) => METHODS[method] },
        { name: 'Since', show: ({ createdAt }) => instant(createdAt) },
        { name: 'Last used', show: ({ lastSeenAt }) => ago(lastSeenAt, now) },
        { name: 'Ends at the latest', show: ({ expiresAt }) => instant(expiresAt) },
        {
          name: 'Access',
          isNumber: true,
          show: ({ id, current, userAgent }) =>
            current ? (
              <Badge tone="good">this browser</Badge>
            ) : (
              <Button
                disabled={end.isPending}
                aria-label={`Sign out ${browserName(userAgent)}`}
                onClick={() => end.mutate(id)}
              >
                Sign out
              </Button>
            ),
        },
      ]}
    />
  );
}
