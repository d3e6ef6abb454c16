import { type Message, type MessagesPage, readMessage, type ReadMessages } from '../../api/messages.js';
import { isPassing, Problem } from '../../api/problem.js';
import type { StreamEvent } from '../../api/event-cutter.js';
import { followStream } from '../../api/sse.js';
import { followWhileVisible, type LastId } from '../../api/visible.js';
import { setSignedOut } from '../../shell/sign-in/signed-out.js';
import type { SessionStatus } from '../../api/sessions.js';
import { EMPTY, reduce, touches, type Transcript, type TranscriptAction } from './transcript.js';

const TAIL = 50;
const OLDER = 100;
/** A longer hole is not closed: what is behind it is read again when somebody scrolls there. */
const MAX_HOLE_PAGES = 10;
const RETRY_MS = 1_000;

export interface FeedState {
  readonly transcript: Transcript;
  readonly isLoadingOlder: boolean;
  /** The newest message when the running turn began; null: that was not heard. */
  readonly lastAtStart: string | null;
  /** Why nothing (more) is shown. */
  readonly problem: Error | null;
}

interface Options {
  readonly sessionId: string;
  readonly read: ReadMessages;
  /** Absent: it is only read, not followed. */
  readonly onStatus?: (status: SessionStatus) => void;
}

/** Keeps the transcript of one session as the service has it, for `useSyncExternalStore`. */
export class TranscriptFeed {
  private state: FeedState = { transcript: EMPTY, isLoadingOlder: false, lastAtStart: null, problem: null };
  private readonly followers = new Set<() => void>();
  private ended = new AbortController();
  private reading: Promise<void> | null = null;
  private readingOlder: Promise<void> | null = null;
  private markLoaded = () => {};
  private readonly loaded = new Promise<void>((resolve) => {
    this.markLoaded = resolve;
  });
  private mustReadAgain = false;
  private isTelling = false;

  constructor(private readonly options: Options) {}

  readonly subscribe = (follower: () => void) => {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  };

  readonly snapshot = () => this.state;

  /** Returns how to end it. */
  start(): () => void {
    this.ended = new AbortController();
    void this.readTail();
    const hangUp = this.options.onStatus && followWhileVisible((signal, lastId) => this.follow(signal, lastId));
    return () => {
      hangUp?.();
      this.ended.abort();
    };
  }

  /** Resolves when the page is there, or there is none. */
  loadOlder(): Promise<void> {
    this.readingOlder ??= this.loadOlderOnce().finally(() => {
      this.readingOlder = null;
    });
    return this.readingOlder;
  }

  /** Loads older messages until this one is there; false: the session has none with this id. */
  async loadThrough(messageId: string): Promise<boolean> {
    const isHere = () => this.state.transcript.entries.some(({ id }) => id === messageId);
    await this.loaded;
    while (!isHere() && this.state.transcript.older !== null && !this.ended.signal.aborted) await this.loadOlder();
    return isHere();
  }

  private async loadOlderOnce(): Promise<void> {
    const { older } = this.state.transcript;
    if (older === null) return;
    this.set({ isLoadingOlder: true });
    try {
      const page = await this.page(OLDER, older);
      // Behind a hole the transcript has begun anew meanwhile.
      if (this.state.transcript.older === older) this.dispatch({ type: 'older', page });
    } catch {
      await this.pause();
    }
    this.set({ isLoadingOlder: false });
  }

  private async follow(signal: AbortSignal, lastId: LastId): Promise<void> {
    while (await this.followUntilRefused(signal, lastId)) {
      delete lastId.current;
      await this.pause();
    }
  }

  /** Whether the last event is unknown to the service, which was restored from a backup: then it begins anew. */
  private async followUntilRefused(signal: AbortSignal, lastId: LastId): Promise<boolean> {
    let isUnknown = false;
    const follower = {
      onEvent: (event: StreamEvent) => {
        if (event.id) lastId.current = event.id;
        this.hear(event);
      },
      // Without a last event the stream begins now: what happened before is in the newest page.
      onState: (isOpen: boolean) => isOpen && lastId.current === undefined && void this.readTail(),
      shouldStop: (status: number) => {
        if (status === 401) setSignedOut(true);
        if (status === 404) this.set({ problem: new Problem(404, 'This session was deleted.', null) });
        isUnknown = status === 400;
        return [400, 401, 403, 404].includes(status);
      },
    };
    await followStream(`/api/v0/sessions/${this.options.sessionId}/events`, follower, signal, lastId.current);
    return isUnknown;
  }

  private hear({ event, data }: StreamEvent): void {
    const told = JSON.parse(data) as { status?: SessionStatus; messageId?: string; message?: Message };
    if (event === 'status.changed' && told.status) this.hearStatus(told.status);
    if (told.messageId === undefined) return;
    const type = event === 'message.created' ? 'created' : 'updated';
    performance.mark('transcript:told');
    const entry = told.message ?? { id: told.messageId, isAnnounced: true as const };
    this.dispatch({ type: 'told', change: { type, entry } });
    if (!told.message) void this.readAnnounced(told.messageId);
    if (this.state.transcript.hasGap) void this.readTail();
  }

  private hearStatus(status: SessionStatus): void {
    if (status === 'running') this.set({ lastAtStart: this.state.transcript.entries.at(-1)?.id ?? null });
    this.options.onStatus?.(status);
  }

  private async readAnnounced(messageId: string): Promise<void> {
    try {
      const message = await readMessage(this.options.sessionId, messageId, this.ended.signal);
      this.dispatch({ type: 'read', message });
    } catch {
      if (await this.pause()) void this.readTail();
    }
  }

  /** One at a time; asked for meanwhile, once more. */
  private readTail(): Promise<void> {
    this.mustReadAgain = this.reading !== null;
    this.reading ??= this.readTailOnce().finally(() => {
      this.reading = null;
      if (this.mustReadAgain && !this.ended.signal.aborted) void this.readTail();
    });
    return this.reading;
  }

  private async readTailOnce(): Promise<void> {
    this.dispatch({ type: 'reading' });
    for (;;) {
      try {
        const page = await this.newestPage();
        this.set({ problem: null });
        this.dispatch({ type: 'tail', page });
        return this.markLoaded();
      } catch (error) {
        if (this.ended.signal.aborted) return;
        if (!isPassing(error)) return this.set({ problem: error as Error });
        await this.pause();
      }
    }
  }

  /** With as many older ones as it takes to touch what is known. */
  private async newestPage(): Promise<MessagesPage> {
    let page = await this.page(TAIL);
    for (let i = 0; i < MAX_HOLE_PAGES && page.older !== null && !touches(this.state.transcript, page); i++) {
      const { messages, older } = await this.page(OLDER, page.older);
      page = { messages: [...page.messages, ...messages], older };
    }
    return page;
  }

  private page(limit: number, cursor?: string): Promise<MessagesPage> {
    const { sessionId, read } = this.options;
    return read({ sessionId, limit, cursor, signal: this.ended.signal });
  }

  /** Whether it goes on. */
  private async pause(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return !this.ended.signal.aborted;
  }

  private dispatch(action: TranscriptAction): void {
    this.set({ transcript: reduce(this.state.transcript, action) });
  }

  /** All changes of one piece of the stream are shown at once. */
  private set(change: Partial<FeedState>): void {
    this.state = { ...this.state, ...change };
    if (this.isTelling) return;
    this.isTelling = true;
    queueMicrotask(() => {
      this.isTelling = false;
      for (const follower of this.followers) follower();
    });
  }
}
