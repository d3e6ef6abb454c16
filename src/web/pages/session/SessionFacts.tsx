import { Link } from '@tanstack/react-router';
import type { Presence } from '../../api/computers.js';
import type { Session, TokenUsage } from '../../api/sessions.js';
import { compact, whole } from '../../format.js';
import { LEVELS, MODES } from './choices.js';
import styles from './Session.module.css';

interface Props {
  readonly session: Session;
  readonly computer: Presence | undefined;
  readonly isKnown: boolean;
}

/** Where it runs, how, and what it has used. */
export function SessionFacts({ session: { sessionSettings }, computer, isKnown }: Props) {
  const { model, autonomyLevel, interactionMode, tokenUsage } = sessionSettings ?? {};
  return (
    <dl className={styles.facts}>
      <Fact name="Computer">
        {computer ? (
          <>
            <Link to="/computers">{computer.name}</Link> {computer.online ? 'online' : 'offline'}
          </>
        ) : (
          isKnown && 'deleted'
        )}
      </Fact>
      <Fact name="Model">{model ?? 'chosen by the agent'}</Fact>
      <Fact name="Autonomy">{LEVELS[autonomyLevel ?? ''] ?? 'not set'}</Fact>
      {interactionMode && interactionMode !== 'auto' && <Fact name="Mode">{MODES[interactionMode]}</Fact>}
      {tokenUsage && (
        <Fact name="Tokens">
          <Tokens tokens={tokenUsage} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const KINDS: readonly [keyof TokenUsage, string][] = [
  ['inputTokens', 'Input'],
  ['outputTokens', 'Output'],
  ['cacheReadTokens', 'Read from the cache'],
  ['cacheCreationTokens', 'Written to the cache'],
  ['thinkingTokens', 'Thinking'],
];

function Tokens({ tokens }: { tokens: TokenUsage }) {
  return (
    <details className={styles.tokens}>
      <summary>
        {compact(tokens.inputTokens)} in, {compact(tokens.outputTokens)} out
      </summary>
      <dl>
        {KINDS.map(([kind, name]) => (
          <div key={kind} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{whole(tokens[kind])}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
