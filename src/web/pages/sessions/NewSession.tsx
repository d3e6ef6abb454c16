import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, bodyOf } from '../../api/client.js';
import { useMe } from '../../api/me.js';
import { type Presence, useComputersById } from '../../api/computers.js';
import { type SettingsChange, useModels } from '../../api/sessions.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { SelectField, TextArea } from '../../ui/Field.js';
import { levelsUpTo } from '../session/choices.js';
import { ModelField } from '../session/ModelField.js';
import { newKey } from '../session/outbox.js';
import styles from './Sessions.module.css';

/** Which computer, what to do, and how. */
export function NewSession({ onClose }: { onClose: () => void }) {
  const computers = useComputersById();
  const me = useMe().data?.user.id;
  if (!computers.data) return null;
  const sorted = [...computers.data.values()].sort((a, b) => rank(b, me) - rank(a, me));
  return (
    <Dialog title="New session" onClose={onClose}>
      {sorted.length === 0 ? <NoComputers onClose={onClose} /> : <Fields computers={sorted} onClose={onClose} />}
    </Dialog>
  );
}

/** Connected ones first, then one's own. */
function rank({ online, registeredBy }: Presence, me: string | undefined): number {
  return (online ? 2 : 0) + (registeredBy === me ? 1 : 0);
}

function NoComputers({ onClose }: { onClose: () => void }) {
  return (
    <>
      <p>An agent works on a computer of yours, and none is connected yet.</p>
      <div className={styles.formActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Link to="/computers">Connect a computer</Link>
      </div>
    </>
  );
}

function Fields({ computers, onClose }: { computers: readonly Presence[]; onClose: () => void }) {
  const [computerId, setComputerId] = useState(computers[0]?.computerId ?? '');
  const [text, setText] = useState('');
  const [model, setModel] = useState('');
  const [level, setLevel] = useState('');
  const [problem, setProblem] = useState<string>();
  const { data: known } = useModels();
  const start = useStart({ onProblem: setProblem });
  const computer = computers.find((candidate) => candidate.computerId === computerId);
  const settings = { ...(model.trim() && { model: model.trim() }), ...(level && { autonomyLevel: level }) };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate({ computerId, text, settings: settings as SettingsChange });
      }}
    >
      <SelectField
        label="Computer"
        hint={
          computer && !computer.online ? 'It is offline: the message waits until its agent is connected.' : undefined
        }
        value={computerId}
        options={Object.fromEntries(
          computers.map(({ computerId: id, name, online }) => [id, `${name} (${online ? 'online' : 'offline'})`]),
        )}
        onChange={({ target }) => setComputerId(target.value)}
      />
      <TextArea
        label="First message"
        rows={5}
        autoFocus
        maxLength={1_000_000}
        placeholder="What should the agent do?"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ModelField value={model} onChange={setModel} />
      <SelectField
        label="Autonomy"
        hint="What the agent does without asking."
        value={level}
        options={{ '': 'As your organization has it', ...levelsUpTo(known?.maxAutonomyLevel ?? 'high') }}
        onChange={({ target }) => setLevel(target.value)}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.formActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={text.trim() === '' || start.isPending}>
          {start.isPending ? 'Starting …' : 'Start'}
        </Button>
      </div>
    </form>
  );
}

interface Wish {
  readonly computerId: string;
  readonly text: string;
  readonly settings: SettingsChange;
}

/** A session and its first message: two requests, of which a second try repeats neither. */
function useStart({ onProblem }: { onProblem: (detail: string) => void }) {
  const navigate = useNavigate();
  const tries = useRef<{ wish: string; session: string; message: string }>(null);
  return useAction({
    run: async ({ computerId, text, settings }: Wish) => {
      const wish = JSON.stringify([computerId, text, settings]);
      if (tries.current?.wish !== wish) tries.current = { wish, session: newKey(), message: newKey() };
      const { session, message } = tries.current;
      const { sessionId } = await bodyOf(
        api.POST('/api/v0/sessions', {
          params: { header: { 'Idempotency-Key': session } },
          body: { computerId, sessionSettings: settings },
        }),
      );
      await bodyOf(
        api.POST('/api/v0/sessions/{sessionId}/messages', {
          params: { path: { sessionId }, header: { 'Idempotency-Key': message } },
          body: { text },
        }),
      );
      return sessionId;
    },
    changes: ['sessions'],
    onDone: (sessionId) => void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
    onProblem: ({ detail }) => {
      onProblem(detail);
      return true;
    },
  });
}
