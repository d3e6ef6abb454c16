import { api, bodyOf } from '../../api/client.js';
import { isPassing, Problem } from '../../api/problem.js';
import type { SessionStatus } from '../../api/sessions.js';
import { encode, type Picked } from './attachments.js';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Picked[];
  /** Another computer, to which the session moves. */
  readonly computerId?: string;
}

/** A message on its way. */
export interface Outgoing extends Draft {
  /** Makes a repetition safe: one for each message that somebody composed. */
  readonly key: string;
  /** `trying`: the service was not reachable. `sent`: until the transcript has it. */
  readonly state: 'sending' | 'trying' | 'sent';
  readonly messageId?: string;
}

interface Options {
  readonly sessionId: string;
  readonly onSent: (status: SessionStatus) => void;
  /** It was refused: the text goes back to where it was typed. */
  readonly onRefused: (draft: Draft, problem: Problem) => void;
}

/** Sends messages in the order in which they were written, each once. For `useSyncExternalStore`. */
export class Outbox {
  private outgoing: readonly Outgoing[] = [];
  private readonly followers = new Set<() => void>();
  private isSending = false;
  private isClosed = false;

  constructor(private readonly options: Options) {}

  readonly subscribe = (follower: () => void) => {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  };

  readonly snapshot = () => this.outgoing;

  send(draft: Draft): void {
    this.set([...this.outgoing, { ...draft, key: newKey(), state: 'sending' }]);
    void this.work();
  }

  /** What the transcript has is not shown twice. */
  forget(messageIds: ReadonlySet<string>): void {
    const left = this.outgoing.filter(({ messageId }) => messageId === undefined || !messageIds.has(messageId));
    if (left.length < this.outgoing.length) this.set(left);
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.isClosed = false;
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    let waitMs = FIRST_WAIT_MS;
    for (let next = this.next(); next && !this.isClosed; next = this.next()) {
      try {
        const { messageId, status } = await this.post(next);
        waitMs = FIRST_WAIT_MS;
        this.change(next.key, { state: 'sent', messageId });
        this.options.onSent(status);
      } catch (error) {
        if (!isPassing(error)) this.giveBack(next, error as Problem);
        else {
          this.change(next.key, { state: 'trying' });
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
        }
      }
    }
    this.isSending = false;
  }

  private next(): Outgoing | undefined {
    return this.outgoing.find(({ state }) => state !== 'sent');
  }

  private async post({ key, text, attachments, computerId }: Outgoing) {
    const body = { text, ...(await encode(attachments)), ...(computerId === undefined ? {} : { computerId }) };
    return bodyOf(
      api.POST('/api/v0/sessions/{sessionId}/messages', {
        params: { path: { sessionId: this.options.sessionId }, header: { 'Idempotency-Key': key } },
        body,
      }),
    );
  }

  private giveBack(outgoing: Outgoing, problem: Problem): void {
    this.set(this.outgoing.filter(({ key }) => key !== outgoing.key));
    this.options.onRefused(outgoing, problem);
  }

  private change(key: string, change: Partial<Outgoing>): void {
    this.set(this.outgoing.map((outgoing) => (outgoing.key === key ? { ...outgoing, ...change } : outgoing)));
  }

  private set(outgoing: readonly Outgoing[]): void {
    this.outgoing = outgoing;
    for (const follower of this.followers) follower();
  }
}

/** `crypto.randomUUID` exists under HTTPS and on loopback only. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
