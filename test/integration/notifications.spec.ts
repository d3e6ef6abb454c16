import { Notifications } from '../../src/database/notifications.js';
import { eventually } from '../support/eventually.js';
import { query, serverUrl } from '../support/test-database.js';

describe('the connection for notifications', () => {
  let notifications: Notifications;

  beforeEach(() => {
    notifications = new Notifications();
  });
  afterEach(() => notifications.stop());

  it('works although somebody who is told about interruptions fails, and the others are told', async () => {
    const heard: string[] = [];
    notifications.on('telemetry_seen', ({ line }) => heard.push(line));
    notifications.onInterruption(() => {
      throw new Error('on purpose');
    });
    notifications.onInterruption(() => heard.push('interruption'));

    await notifications.start(serverUrl());
    await query(serverUrl(), `SELECT pg_notify('telemetry_seen', '{"line": "hello"}')`);

    await eventually('it is heard', () => heard.includes('hello'), 3_000);
    expect(heard).toEqual(['interruption', 'hello']);
    expect(notifications.lagMs).toBeLessThan(1_000);
  });
});
