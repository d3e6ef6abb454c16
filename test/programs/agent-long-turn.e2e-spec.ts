import { readFileSync } from 'node:fs';
import { AgentMachine, type ToldMessage } from '../support/agent-machine.js';
import type { Program } from '../support/program.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const UPDATES = 10_000;
const MAX_GROWTH_KIB = 60 * 1024;

let app: TestApp;
let machine: AgentMachine;

beforeAll(async () => {
  app = await TestApp.start();
  machine = new AgentMachine(app, await app.given.user(await app.given.organization()));
});
afterAll(async () => {
  await machine.remove();
  await app.stop();
});

/** The most memory that the program has had. */
function peakKib({ pid }: Program): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib);
}

describe('a turn of 10,000 updates', () => {
  it('arrives completely and in order, and the memory of the client stays bounded', async () => {
    const client = await machine.connected();
    const session = await machine.session();
    await machine.ask(session, 'updates:100 to get warm');
    const before = peakKib(client);
    const messageId = await machine.say(session, `updates:${UPDATES} the end`);
    await machine.idle(session, 100_000);
    expect(peakKib(client) - before).toBeLessThan(MAX_GROWTH_KIB);

    const rows = await query<Pick<ToldMessage, 'role' | 'content'>>(
      app.database.url,
      `SELECT m.role, m.content FROM messages m
        WHERE m.session_id = $1 AND m.details ->> 'parentId' = $2 ORDER BY m.seq`,
      [session.id, messageId],
    );
    const blocks = rows.flatMap(({ content }) => content);
    const numbers = Array.from({ length: UPDATES }, (_, i) => i).filter((i) => i % 10 < 8);
    expect(blocks.map(({ text = '' }) => text).join('')).toBe(`${numbers.join(' ')} the end`);
    const calls = (type: string, field: string) => blocks.filter((b) => b.type === type).map((b) => b[field]);
    expect(calls('tool_use', 'id')).toEqual(Array.from({ length: UPDATES / 10 }, (_, i) => `update-${i}`));
    expect(calls('tool_result', 'toolUseId')).toEqual(calls('tool_use', 'id'));
  }, 120_000);
});
