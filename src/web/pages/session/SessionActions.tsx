import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, bodyOf } from '../../api/client.js';
import type { Session } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { Confirm } from '../../ui/Confirm.js';
import { Rename } from './Rename.js';
import { SettingsDialog } from './SettingsDialog.js';

export function SessionActions({ session }: { session: Session }) {
  const { sessionId, status } = session;
  const [open, setOpen] = useState<'settings' | 'rename' | 'delete' | null>(null);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  const remove = useAction({
    run: () => bodyOf(api.DELETE('/api/v0/sessions/{sessionId}', { params: { path: { sessionId } } })),
    done: 'The session is deleted.',
    changes: ['sessions'],
    onDone: () => void navigate({ to: '/sessions' }),
  });
  return (
    <>
      <Button onClick={() => setOpen('settings')}>Settings</Button>
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      <Button onClick={() => setOpen('delete')}>Delete</Button>
      {open === 'settings' && <SettingsDialog session={session} onClose={close} />}
      {open === 'rename' && <Rename session={session} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this session?"
          verb="Delete"
          isRunning={remove.isPending || status === 'running'}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          {status === 'running'
            ? 'The agent is working in it. Interrupt it first.'
            : 'Its messages are deleted for good. Files that the agent changed stay as they are.'}
        </Confirm>
      )}
    </>
  );
}
