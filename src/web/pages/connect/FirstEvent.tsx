import { Link } from '@tanstack/react-router';
import { useMe } from '../../api/me.js';
import { useMySources, useRefusals } from '../../api/telemetry.js';
import { whole } from '../../format.js';
import { useNow } from '../../ui/use-now.js';
import { Waiting } from '../../ui/Waiting.js';
import { type Arrival, arrivalOf, type Baseline } from './first-event.js';
import { type Agent, AGENTS } from './setups.js';

const POLL_MS = 2_000;

/** Turns green with the first event, or says what is wrong. The stream of the tab is quicker than the questions. */
export function FirstEvent({ agent, before }: { agent: Agent; before: Baseline }) {
  const me = useMe().data;
  const nowMs = useNow(POLL_MS);
  const sources = useMySources(me?.user.id, POLL_MS).data ?? [];
  const refusals = useRefusals(POLL_MS).data ?? { refused: 0 };
  return <Told agent={agent} arrival={arrivalOf(agent, before, { sources, refusals, nowMs })} />;
}

function Told({ agent, arrival }: { agent: Agent; arrival: Arrival }) {
  const name = AGENTS[agent];
  switch (arrival.state) {
    case 'arrived':
      return (
        <Waiting state="good" title={`${name} is connected`}>
          <p>
            {whole(arrival.counted)} {arrival.counted === 1 ? 'event' : 'events'} arrived
            {arrival.versions.length > 0 && `, of version ${arrival.versions.join(', ')}`}.{' '}
            <Link to="/">See it in today’s chart</Link>
          </p>
        </Waiting>
      );
    case 'wrong-key':
      return (
        <Waiting state="bad" title="The key is wrong">
          <p>
            Something at your address sends telemetry, and its key is refused: {arrival.reason} Paste the whole block
            again, in the terminal from which you start {name}.
          </p>
        </Waiting>
      );
    case 'unknown':
      return (
        <Waiting state="bad" title="Records arrive, and nothing in them can be counted">
          <p>
            {whole(arrival.ignored)} records have names that no adapter knows: a version of {name} that is not known
            yet, or another program. Use {name} once more; if this stays, <code>npm run cli -- telemetry tail</code>{' '}
            names them.
          </p>
        </Waiting>
      );
    case 'refused':
      return (
        <Waiting state="bad" title="Events arrive, and are refused">
          <p>{arrival.reason}. Is the clock of that machine right?</p>
        </Waiting>
      );
    case 'silent':
      return (
        <Waiting state="waiting" title="Nothing has arrived yet">
          <p>
            Restart {name} in the terminal with the block, and ask it something. A proxy in between has to let{' '}
            {window.location.origin}/api/otlp through.
          </p>
        </Waiting>
      );
    case 'waiting':
      return (
        <Waiting state="waiting" title={`Waiting for the first event of ${name}`}>
          <p>Start it and ask it something. It may take a few seconds until it sends.</p>
        </Waiting>
      );
  }
}
