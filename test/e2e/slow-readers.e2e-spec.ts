import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { toEventStream } from '../../src/http/streams/event-stream.js';
import { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import { countReads, EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import { givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { hurry } from '../support/hurry.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

describe('events that nobody takes', () => {
  /** An endless source that counts what was taken from it. */
  function endless(): { taken: () => number; stream: Readable; hasEnded: () => boolean } {
    let taken = 0;
    let ended = false;
    async function* events() {
      try {
        for (;;) {
          taken++;
          yield await Promise.resolve({ id: `${taken}`, event: 'x', data: { text: 'y'.repeat(1000) } });
        }
      } finally {
        ended = true;
      }
    }
    return { taken: () => taken, stream: toEventStream(events()).getStream(), hasEnded: () => ended };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

  it('are not produced before anybody reads', async () => {
    const { taken, stream } = endless();
    await settle();
    expect(taken()).toBe(0);
    stream.destroy();
  });

  it('are not produced beyond what a reader is about to get', async () => {
    const { taken, stream } = endless();
    await readSome(stream, 3);
    await settle();
    expect(taken()).toBeLessThan(6);
    stream.destroy();
  });

  it('end their source when the reader hangs up', async () => {
    const { stream, hasEnded } = endless();
    await readSome(stream, 3);
    stream.destroy();
    await settle();
    expect(hasEnded()).toBe(true);
  });

  async function readSome(stream: Readable, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await once(stream, 'readable');
      stream.read();
    }
  }
});

describe('a session with a reader who never reads', () => {
  let app: TestApp;
  let session: GivenSession;
  beforeAll(async () => {
    app = await TestApp.start();
    const org = await app.given.organization();
    session = await givenSession(app, org.owner);
  });
  afterAll(() => app.stop());

  it('has its events wait in the database', async () => {
    await query(
      app.database.url,
      `WITH s AS (UPDATE sessions SET event_seq = 30000 WHERE id = $2)
       INSERT INTO session_events
       SELECT $1, $2, n, repeat('x', 1000), NULL, 'idle', now() FROM generate_series(1, 30000) n`,
      [session.orgId, session.id],
    );
    const reads = countReads(app.nest.get(SessionStreamRepository));
    const reader = await EventReader.open(app, session, { lastEventId: 0, isReading: false });
    let before = -1;
    await eventually('the stream pauses', async () => {
      if (before === reads() && before > 0) return true;
      before = reads();
      await new Promise((resolve) => setTimeout(resolve, 400));
      return false;
    });
    expect(reads()).toBeLessThan(200); // of the 300 that it takes to read all of them
    reader.close();
  });

  it('can be used by others', async () => {
    const reader = await EventReader.open(app, session, { lastEventId: 0, isReading: false });
    expect(await givenMessage(app, session, 'hello')).toHaveLength(36);
    reader.close();
  });
});

describe('a quiet session', () => {
  let stopHurrying: () => void = () => undefined;
  afterEach(() => stopHurrying());

  it('gives a sign of life every 15 seconds', async () => {
    const app = await TestApp.start();
    const org = await app.given.organization();
    const session = await givenSession(app, org.owner);
    stopHurrying = hurry('setTimeout', { fromMs: 15_000, toMs: 50 });
    const reader = await EventReader.open(app, session);
    await eventually('signs of life', () => reader.comments.length > 3);
    expect(reader.comments.slice(0, 4)).toEqual(['connected', 'alive', 'alive', 'alive']);
    reader.close();
    await app.stop();
  });
});
