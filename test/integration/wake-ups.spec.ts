import { WakeUps } from '../../src/database/wake-ups.js';
import { eventually } from '../support/eventually.js';
import { query, serverUrl } from '../support/test-database.js';

describe('the line for wake-ups', () => {
  let wakeUps: WakeUps;

  beforeEach(() => {
    wakeUps = new WakeUps();
  });
  afterEach(() => wakeUps.stop());

  it('works although somebody who is told about interruptions fails, and the others are told', async () => {
    const heard: string[] = [];
    const topic = `topic_${process.pid}`;
    wakeUps.on(topic, ({ word }) => heard.push(word ?? ''));
    wakeUps.onInterruption(() => {
      throw new Error('on purpose');
    });
    wakeUps.onInterruption(() => heard.push('interruption'));

    await wakeUps.start(serverUrl());
    await query(serverUrl(), `SELECT pg_notify($1, '{"word": "hello"}')`, [topic]);

    await eventually('it is heard', () => heard.includes('hello'), 3_000);
    expect(heard).toEqual(['interruption', 'hello']);
    expect(wakeUps.silenceMs).toBeLessThan(1_000);
  });
});
