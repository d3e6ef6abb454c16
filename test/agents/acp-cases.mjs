import { existsSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What each agent is put through. A case returns what is wrong, or null; `machine` posts to sessions and waits for them.
 * What is refused or allowed follows the levels of docs/agent.md.
 */
export const CASES = [
  {
    name: 'edit at off',
    level: 'off',
    run: async (machine, session) => {
      const file = join(session.directory, 'off.py');
      await machine.ask(session, `[stub: write ${file}]`);
      return existsSync(file) ? 'the file was written' : null;
    },
  },
  {
    name: 'edit at low',
    level: 'low',
    run: async (machine, session) => {
      const file = join(session.directory, 'low.py');
      await machine.ask(session, `[stub: write ${file}]`);
      return existsSync(file) ? unlessEnded(await machine.endOf(session)) : 'the file was not written';
    },
  },
  {
    name: 'shell at low',
    level: 'low',
    run: async (machine, session) => {
      const file = join(session.directory, 'shell.txt');
      await machine.ask(session, `[stub: run printf shell > ${file}]`);
      return existsSync(file) ? 'the command ran' : null;
    },
  },
  {
    name: 'shell at high',
    level: 'high',
    run: async (machine, session) => {
      const file = join(session.directory, 'shell.txt');
      await machine.ask(session, `[stub: run printf shell > ${file}]`);
      return existsSync(file) ? unlessEnded(await machine.endOf(session)) : 'the command did not run';
    },
  },
  {
    name: 'two turns',
    level: 'low',
    run: async (machine, session) => {
      const files = ['one.py', 'two.py'].map((name) => join(session.directory, name));
      for (const file of files) await machine.ask(session, `[stub: write ${file}]`);
      const missing = files.filter((file) => !existsSync(file));
      if (missing.length > 0) return `not written: ${missing.join(', ')}`;
      const starts = machine.log.split(`${session.id}: the agent has started`).length - 1;
      return starts === 1 ? unlessEnded(await machine.endOf(session)) : `the agent was started ${starts} times`;
    },
  },
  {
    name: 'interrupt',
    level: 'low',
    run: async (machine, session) => {
      const file = join(session.directory, 'stall.py');
      await machine.say(session, `[stub: stall ${file}]`);
      await machine.until('the model stalls', () => machine.calls().some(({ isComplete }) => !isComplete));
      await machine.interrupt(session);
      await machine.idle(session);
      const isOver = await machine.ask(session, '[stub: say]').then(() => true);
      return isOver ? null : 'it does not go on';
    },
  },
  {
    name: 'subagent',
    level: 'high',
    needsSubagents: true,
    run: async (machine, session) => {
      await machine.ask(session, '[stub: delegate]');
      const calls = machine.calls().filter(({ isSide }) => !isSide);
      if (calls.length < 3) return `the model was called ${calls.length} times, not by a subagent`;
      return unlessEnded(await machine.endOf(session));
    },
  },
  {
    name: 'mcp at low',
    level: 'low',
    needsMcp: true,
    run: async (machine, session) => {
      await machine.ask(session, '[stub: mcp plain]');
      return existsSync(join(machine.home, 'plain.txt')) ? 'the tool ran' : null;
    },
  },
  {
    name: 'mcp, trusted',
    level: 'low',
    needsMcp: true,
    run: async (machine, session) => {
      await machine.ask(session, '[stub: mcp trusted]');
      const isEnded = (await machine.endOf(session)).includes('without a permission');
      return existsSync(join(machine.home, 'trusted.txt')) && !isEnded ? 'the tool ran, and the turn went on' : null;
    },
  },
  {
    name: 'mcp at medium',
    level: 'medium',
    needsMcp: true,
    run: async (machine, session) => {
      await machine.ask(session, '[stub: mcp plain]');
      return existsSync(join(machine.home, 'plain.txt')) ? null : 'the tool did not run';
    },
  },
];

function unlessEnded(text) {
  return /without a permission|was not allowed|answered with an error/.test(text) ? text.slice(0, 300) : null;
}
