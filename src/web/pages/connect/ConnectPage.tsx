import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../api/me.js';
import { useMySources, useRefusals, useTelemetryKey } from '../../api/telemetry.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Choice } from '../../ui/Choice.js';
import { CopyBlock } from '../../ui/CopyBlock.js';
import { Page } from '../../ui/Page.js';
import { blockOf, SHELLS } from './block.js';
import { type Baseline, baselineOf } from './first-event.js';
import { FirstEvent } from './FirstEvent.js';
import { MySources } from './MySources.js';
import { type ConnectSearch, readConnectSearch } from './search.js';
import { type Agent, AGENTS, setupOf } from './setups.js';
import styles from './Connect.module.css';

interface Made {
  readonly agent: Agent;
  readonly key: string;
  readonly before: Baseline;
}

const IS_WINDOWS = /windows/i.test(navigator.userAgent);

/** Points an agent that somebody runs already at this service, and waits for its first event. */
export function ConnectPage() {
  const { agent, shell } = readConnectSearch(useSearch({ strict: false }), IS_WINDOWS);
  const navigate = useNavigate();
  const choose = (next: ConnectSearch) => void navigate({ to: '.', search: (now) => ({ ...now, ...next }) });
  const me = useMe().data;
  const sources = useMySources(me?.user.id, 10_000);
  const refusals = useRefusals(false);
  const [made, setMade] = useState<Made>();
  const make = useTelemetryKey();
  const begin = async () => {
    const [known, refused] = await Promise.all([sources.refetch(), refusals.refetch()]);
    const before = baselineOf(agent, known.data ?? [], refused.data ?? { refused: 0 }, Date.now());
    make.mutate(`Telemetry of ${AGENTS[agent]}`, { onSuccess: (key) => setMade({ agent, key, before }) });
  };
  const target = { url: window.location.origin, key: made?.key ?? '' };
  return (
    <Page title="Connect an agent">
      <p className={styles.lead}>
        Claude Code, Gemini CLI, Codex and opencode tell by themselves what they do. Paste one block, and their use
        shows here. Prompts and outputs are not stored.
      </p>
      <Card title="1. Your agent">
        <div className={styles.choices}>
          <Choice name="Agent" value={agent} options={AGENTS} onChoose={(next) => choose({ agent: next })} />
          <Choice name="System" value={shell} options={SHELLS} onChoose={(next) => choose({ shell: next })} />
        </div>
      </Card>
      <Card title="2. Paste this block into a terminal">
        {made?.agent === agent ? (
          <div className={styles.part}>
            <CopyBlock label={`Settings of ${AGENTS[agent]}`} text={blockOf(setupOf(agent, target), shell)} />
            <p className={styles.note}>{NOTES[agent]}</p>
          </div>
        ) : (
          <div className={styles.part}>
            <p>
              It contains a key of yours that can send telemetry and nothing else. You can revoke it under Settings, API
              keys.
            </p>
            <Button kind="primary" disabled={make.isPending || !me} onClick={() => void begin()}>
              Make a key and show the block
            </Button>
          </div>
        )}
      </Card>
      <Card title="3. The first event">
        {made?.agent === agent ? (
          <FirstEvent key={made.key} agent={agent} before={made.before} />
        ) : (
          <p className={styles.note}>As soon as you have pasted the block, this page waits for it.</p>
        )}
      </Card>
      <Card title="What your agents sent so far">
        <Asked query={sources} empty={(all) => (all.length === 0 ? <p>Nothing yet, of any agent.</p> : null)}>
          {(all) => <MySources sources={all} />}
        </Asked>
      </Card>
    </Page>
  );
}

const IN_PROFILE =
  'The variables hold in this terminal only. To keep them, put the lines into the profile of your shell.';

const NOTES: Readonly<Record<Agent, string>> = {
  'claude-code': `Start claude in the same terminal. ${IN_PROFILE}`,
  'gemini-cli': `It adds to ~/.gemini/settings.json and keeps what is there. Start gemini in the same terminal. ${IN_PROFILE}`,
  codex:
    'It adds a section [otel] to ~/.codex/config.toml; if there is one already, replace it by hand. Then restart codex.',
  opencode: `It adds to ~/.config/opencode/opencode.json and keeps what is there. Start opencode in the same terminal. ${IN_PROFILE}`,
};
