import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Computer, useComputers, usePresence } from '../../api/computers.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Page } from '../../ui/Page.js';
import { ComputersTable } from './ComputersTable.js';
import { ConnectDialog } from './ConnectDialog.js';
import { ManageDialog } from './ManageDialog.js';
import { type ComputersSearch, readComputersSearch } from './search.js';

/** The machines on which sessions run. */
export function ComputersPage() {
  const search = readComputersSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const show = (next: ComputersSearch) =>
    void navigate({ to: '.', search: (now) => ({ ...now, computer: undefined, connect: undefined, ...next }) });
  const computers = useComputers();
  const presence = usePresence();
  const connect = (
    <Button kind="primary" onClick={() => show({ connect: 'new' })}>
      Connect a computer
    </Button>
  );
  const managed = computers.data?.find(({ id }) => id === search.computer);
  return (
    <Page title="Computers" actions={connect}>
      <Card title="All computers">
        <Asked query={computers} empty={(all) => (all.length === 0 ? <None /> : null)}>
          {(all) => (
            <Asked query={presence}>
              {(known) => (
                <ComputersTable
                  computers={all}
                  presence={known}
                  onManage={({ id }: Computer) => show({ computer: id })}
                  onConnect={({ id }: Computer) => show({ connect: id })}
                />
              )}
            </Asked>
          )}
        </Asked>
      </Card>
      {managed && <ManageDialog key={managed.id} computer={managed} onClose={() => show({})} />}
      {search.connect !== undefined && computers.data && (
        <ConnectDialog
          computer={computers.data.find(({ id }) => id === search.connect)}
          onRegistered={({ id }) => show({ connect: id })}
          onClose={() => show({})}
        />
      )}
    </Page>
  );
}

function None() {
  return (
    <>
      <strong>No computer yet</strong>
      <p>
        Sessions run on machines of yours. “Connect a computer” shows the command for one; nothing has to be opened
        towards it.
      </p>
    </>
  );
}
