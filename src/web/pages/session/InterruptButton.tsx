import { useAction } from '../../api/action.js';
import { api, bodyOf } from '../../api/client.js';
import type { SessionStatus } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { useSetStatus } from './use-feed.js';

/** Ends the running turn and drops what waits; there only while something does. */
export function InterruptButton({ sessionId, status }: { sessionId: string; status: SessionStatus }) {
  const setStatus = useSetStatus(sessionId);
  const interrupt = useAction({
    run: () => bodyOf(api.POST('/api/v0/sessions/{sessionId}/interrupt', { params: { path: { sessionId } } })),
    onDone: (answer) => setStatus(answer.status),
    changes: ['sessions'],
  });
  if (status === 'idle') return null;
  return (
    <Button kind="danger" disabled={interrupt.isPending} onClick={() => interrupt.mutate()}>
      {interrupt.isPending ? 'Interrupting …' : 'Interrupt'}
    </Button>
  );
}
