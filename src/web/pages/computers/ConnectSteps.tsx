import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Computer, usePresence } from '../../api/computers.js';
import { Button } from '../../ui/Button.js';
import { Choice } from '../../ui/Choice.js';
import { CopyBlock } from '../../ui/CopyBlock.js';
import { useNow } from '../../ui/use-now.js';
import { Waiting } from '../../ui/Waiting.js';
import { problemOf } from './ComputerState.js';
import { AGENT_COMMANDS, type AgentChoice, connectCommand } from './connect-command.js';
import styles from './Computers.module.css';

/** Then something is probably wrong. */
const LONG_MS = 30_000;
const POLL_MS = 2_000;

interface Props {
  readonly computer: Computer;
  readonly token: string | undefined;
  readonly isMaking: boolean;
  readonly onToken: () => void;
}

export function ConnectSteps({ computer, token, isMaking, onToken }: Props) {
  const [agent, setAgent] = useState<AgentChoice>('claude-code');
  const { id: computerId, name } = computer;
  const names = Object.fromEntries(Object.entries(AGENT_COMMANDS).map(([key, one]) => [key, one.name]));
  return (
    <div className={styles.form}>
      <Choice name="Agent" value={agent} options={names as Record<AgentChoice, string>} onChoose={setAgent} />
      <p className={styles.note}>
        On that machine, in the folder of this program (Node 20.19 or later).{' '}
        {agent === 'echo'
          ? 'A built-in agent answers with what it is asked.'
          : 'The agent is downloaded when it connects.'}
      </p>
      <CopyBlock
        label="Command"
        text={connectCommand({ url: window.location.origin, name, computerId, token, agent })}
      />
      {token === undefined ? (
        <div className={styles.row}>
          <span className={styles.note}>This machine has no token of it yet, or lost it?</span>
          <Button onClick={onToken} disabled={isMaking}>
            New token
          </Button>
        </div>
      ) : (
        <p className={styles.note}>The token in it is shown only now, and is good for this computer alone.</p>
      )}
      <AgentWait computer={computer} />
    </div>
  );
}

function AgentWait({ computer }: { computer: Computer }) {
  const presence = usePresence({ everyMs: POLL_MS }).data?.find(({ computerId }) => computerId === computer.id);
  const nowMs = useNow(1_000);
  const [sinceMs] = useState(nowMs);
  const problem = problemOf(computer);
  if (problem !== undefined) {
    return (
      <Waiting state="bad" title="Its agent connected, and cannot run">
        <p>{problem}</p>
        <p>
          <code>npm run agent -- doctor</code> with the same command explains what is missing.
        </p>
      </Waiting>
    );
  }
  if (presence?.online) {
    const { agent } = presence;
    return (
      <Waiting state="good" title={`${computer.name} is connected${agent ? ` (${agent.name} ${agent.version})` : ''}`}>
        <p>
          <Link to="/sessions">Open a session on it</Link>
        </p>
      </Waiting>
    );
  }
  return (
    <Waiting state="waiting" title="Waiting for its agent">
      {nowMs - sinceMs > LONG_MS && (
        <p>
          Nothing yet. Does the command still run, and does that machine reach {window.location.origin}?{' '}
          <code>npm run agent -- doctor</code> checks both.
        </p>
      )}
    </Waiting>
  );
}
