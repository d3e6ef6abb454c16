import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { isStatementTimeout } from '../../common/errors/database-errors.js';
import { InvalidRequestError, UnavailableError } from '../../common/errors/domain-error.js';
import { FairSemaphore } from '../../common/fair-semaphore.js';
import type { Page, PageRequest } from '../../http/paging/paging.js';
import { AppConfig } from '../../config/app-config.js';
import type { MessageRole } from '../sessions/transcript/message.entity.js';
import {
  type FoundMessage,
  type FoundText,
  positionOf,
  SearchRepository,
  type ScanResult,
  type ScanSize,
} from './search.repository.js';
import { Snippets } from './snippet.js';

export interface SearchHit extends FoundMessage {
  readonly title: string | null;
  readonly role: MessageRole;
  readonly snippet: string;
}

interface Described {
  readonly items: SearchHit[];
  readonly end: FoundMessage | null;
}

const MAX_MINUS_SIGNS = 30;
const SCAN_MS = 1_000;
const STATEMENT_MS = 1_500;
const MAX_WAIT_MS = 3_000;
const MAX_SEARCHES_PER_USER = 2;
const MAX_MESSAGES = 1_000;
const SCAN: ScanSize = { messages: 150, bytes: 4 * 1024 * 1024 };
const SHORT_SCAN: ScanSize = { messages: 20, bytes: 256 * 1024 };

/** Searches a user's own messages in short statements, few searches at once, and answers after SCAN_MS with what it has. */
@Injectable()
export class SearchService {
  private readonly running: FairSemaphore;

  constructor(
    private readonly messages: SearchRepository,
    config: AppConfig,
  ) {
    this.running = new FairSemaphore({
      size: Math.max(1, Math.floor(config.database.poolSize / 4)),
      perCaller: MAX_SEARCHES_PER_USER,
      refuse: () => new UnavailableError('Too many searches are running. Try again shortly.'),
    });
  }

  /** Newest first. A page may have fewer hits than its limit, or none, when time ran out. */
  search(caller: Principal, words: string, page: PageRequest): Promise<Page<SearchHit>> {
    // Each minus sign nests the query one level deeper, and Postgres has a stack depth limit.
    if (words.split('-').length > MAX_MINUS_SIGNS + 1) {
      throw InvalidRequestError.ofField('q', `may have at most ${MAX_MINUS_SIGNS} minus signs`);
    }
    return this.running.run(caller.userId, MAX_WAIT_MS, async () => {
      const { found, end } = await this.scan(caller, words, page);
      const shown = await this.describe(caller, words, found.slice(0, page.limit));
      const last = shown.end ?? (found.length > page.limit ? found[page.limit - 1] : undefined);
      return { items: shown.items, next: last ? positionOf(last) : end };
    });
  }

  /** Until it has one more than the page holds, there are no more messages, or time has run out. */
  private async scan({ orgId, userId }: Principal, words: string, page: PageRequest): Promise<ScanResult> {
    const deadlineMs = performance.now() + SCAN_MS;
    const found: FoundMessage[] = [];
    let after = page.after;
    for (let size = SCAN; ;) {
      const limit = page.limit + 1 - found.length;
      const scanned = await nullOnTimeout(() =>
        this.messages.scan(orgId, userId, words, { after, limit, size, statementMs: STATEMENT_MS }),
      );
      if (scanned === null) {
        if (after !== page.after) return { found, end: after };
        if (size.messages === SHORT_SCAN.messages) throw tooSlow();
        size = SHORT_SCAN; // the database is slow: retry with little, so that the search makes progress
        continue;
      }
      found.push(...scanned.found);
      after = scanned.end;
      size = { ...size, messages: Math.min(MAX_MESSAGES, size.messages * 4) };
      if (after === null || found.length > page.limit || performance.now() > deadlineMs) return { found, end: after };
    }
  }

  /** `end`: the last message that fitted into the page; null when all did. */
  private async describe({ orgId }: Principal, words: string, found: FoundMessage[]): Promise<Described> {
    if (found.length === 0) return { items: [], end: null };
    const snippets = new Snippets(await this.messages.listShownWords(orgId, words));
    const texts = await this.texts(orgId, found);
    const items: SearchHit[] = [];
    for (const [i, message] of found.entries()) {
      const shown = texts.get(message.messageId);
      if (!shown) continue; // deleted meanwhile
      const { text, title, role } = shown;
      if (text === null) return { items, end: found[i - 1] ?? null };
      items.push({ ...message, title, role, snippet: snippets.of(text) });
      await yieldToEventLoop(); // a long text takes some milliseconds
    }
    return { items, end: null };
  }

  private async texts(orgId: string, found: FoundMessage[]): Promise<Map<string, FoundText>> {
    const read = (some: FoundMessage[]) => nullOnTimeout(() => this.messages.listTexts(orgId, some, STATEMENT_MS));
    const texts = (await read(found)) ?? (await this.firstText(found, read));
    return new Map(texts.map((text) => [text.messageId, text]));
  }

  /** The first one alone, so that the search makes progress while the database is slow. */
  private async firstText(
    found: FoundMessage[],
    read: (some: FoundMessage[]) => Promise<FoundText[] | null>,
  ): Promise<FoundText[]> {
    const first = await read(found.slice(0, 1));
    if (!first) throw tooSlow();
    return [
      ...first,
      ...found.slice(1).map(({ messageId }) => ({ messageId, title: null, role: 'user' as const, text: null })),
    ];
  }
}

function tooSlow(): UnavailableError {
  return new UnavailableError('The search took the database too long. Try again shortly.');
}

async function nullOnTimeout<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}
