import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import type { GivenSession } from './given-session.js';
import type { TestApp } from './test-app.js';

export interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

const DEFAULT_TIMEOUT_MS = 5_000;

/** One connection to the event stream of a session, or of a tab. */
export class EventReader {
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  private ended = false;
  private rest = '';
  private wake: () => void = () => undefined;

  private constructor(
    readonly response: IncomingMessage,
    private readonly request: ClientRequest,
    options: { isReading: boolean },
  ) {
    response.setEncoding('utf8');
    response.on('close', () => this.note(() => (this.ended = true)));
    response.on('error', () => this.note(() => (this.ended = true)));
    if (options.isReading) response.on('data', (text: string) => this.note(() => this.take(text)));
  }

  static async open(
    app: TestApp,
    session: Pick<GivenSession, 'path' | 'user'>,
    {
      lastEventId,
      isReading = true,
      cookie,
      headers: further = {},
    }: { lastEventId?: string | number; isReading?: boolean; cookie?: string; headers?: Record<string, string> } = {},
  ): Promise<EventReader> {
    const headers = {
      ...further,
      ...(cookie === undefined ? { Authorization: `Bearer ${session.user.key}` } : { Cookie: cookie }),
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': `${lastEventId}` }),
    };
    const request = get(`${app.url}${session.path}/events`, { headers, agent: false });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    const reader = new EventReader(response, request, { isReading });
    // After the greeting, everything that is posted arrives.
    if (isReading && response.statusCode === 200) await reader.until(() => reader.comments.length > 0);
    return reader;
  }

  get ids(): number[] {
    return this.events.map(({ id }) => Number(id));
  }

  /** Waits for `count` events and returns all received so far. */
  async receive(count: number, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<ReceivedEvent[]> {
    await this.until(() => this.events.length >= count, timeoutMs);
    return this.events;
  }

  /** Whether the service has ended the stream in time. */
  async end(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<boolean> {
    await this.until(() => this.ended, timeoutMs);
    return this.ended;
  }

  close(): void {
    this.request.destroy();
  }

  private async until(isDone: () => boolean, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!isDone() && !this.ended && performance.now() < deadline) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, deadline - performance.now());
      });
      clearTimeout(timer);
    }
  }

  private note(change: () => void): void {
    change();
    this.wake();
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.takeBlock(block);
  }

  private takeBlock(block: string): void {
    if (block.startsWith(':')) {
      this.comments.push(block.slice(1).trim());
      return;
    }
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const data = JSON.parse(fields.get('data') ?? 'null') as Record<string, unknown>;
    this.events.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? '', data });
  }
}

/** Counts reads of event batches from the database. */
export function countReads(repository: SessionStreamRepository): () => number {
  let reads = 0;
  const original = repository.listAfter.bind(repository);
  repository.listAfter = (...parameters) => {
    reads++;
    return original(...parameters);
  };
  return () => reads;
}
