import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeWatch } from '../../../src/agent/session/change-watch.js';
import type { Decision } from '../../../src/agent/session/permissions.js';
import { isReadingCommand } from '../../../src/agent/session/reading-commands.js';
import type { ToolCall } from '../../../src/agent/session/tool-calls.js';
import { eventually } from '../../support/eventually.js';
import { finishedCall } from '../../support/tool-call.js';

const TIME_TO_ASK_MS = 30;

const call = (changes: Partial<ToolCall> = {}) => finishedCall({ id: '1', name: 'Tool', kind: 'edit', ...changes });
const running: Partial<ToolCall> = { status: 'in_progress', isFinished: false, hasRun: false };

let found: string[];
let judged: ToolCall[];
let allow: boolean;
let watch: ChangeWatch;

beforeEach(() => {
  found = [];
  judged = [];
  allow = false;
  watch = new ChangeWatch({
    decide: (asked): Decision => {
      judged.push(asked);
      return { allow, reason: 'No.' };
    },
    onUnasked: ({ name }, reason) => found.push(`${name}: ${reason}`),
    timeToAskMs: TIME_TO_ASK_MS,
  });
});
afterEach(() => watch.stop());

describe('the watch finds', () => {
  it.each<[string, Partial<ToolCall>]>([
    ['an edit', { kind: 'edit' }],
    ['a command', { kind: 'execute', command: 'touch x' }],
    ['a command of unknown kind', { kind: 'other', command: 'touch x' }],
    ['a command that failed after it ran', { kind: 'execute', command: 'rm x', status: 'failed' }],
    ['a removed file', { kind: 'delete' }],
    ['a moved file', { kind: 'move' }],
    ['a tool that changed files, whatever it calls itself', { kind: 'other', files: [{ path: 'x', isNew: true }] }],
    ['an MCP tool', { kind: 'other', mcpServer: 'github' }],
  ])('%s that was not permitted', (_what, changes) => {
    watch.follow(call(changes));
    expect(found).toEqual(['Tool: No.']);
  });

  it('a change that was refused, even if the level allows it', () => {
    allow = true;
    watch.ask('1');
    watch.answer('1', false);
    watch.follow(call());
    expect(found).toEqual(['Tool: It had asked, and was refused.']);
  });

  it('only the first', () => {
    watch.follow(call());
    watch.follow(call({ id: '2' }));
    expect(found).toHaveLength(1);
  });

  it('a tool that is in progress for long without a question', async () => {
    watch.follow(call({ ...running }));
    expect(found).toEqual([]);
    await eventually('it was found', () => found.length === 1);
    expect(found).toEqual(['Tool: No.']);
  });
});

describe('the watch lets pass', () => {
  it.each<[string, Partial<ToolCall>]>([
    ['reading', { kind: 'read' }],
    ['searching with a command', { kind: 'search', command: 'rg x' }],
    ['fetching', { kind: 'fetch' }],
    ['a subagent', { kind: 'other', name: 'Task' }],
    ['what failed before it ran', { kind: 'edit', status: 'failed', hasRun: false }],
  ])('%s', (_what, changes) => {
    watch.follow(call(changes));
    expect(found).toEqual([]);
  });

  it('what the level allows', () => {
    allow = true;
    watch.follow(call());
    expect(found).toEqual([]);
  });

  it('what was permitted, without another decision', () => {
    watch.ask('1');
    watch.answer('1', true);
    watch.follow(call());
    expect([found, judged]).toEqual([[], []]);
  });

  it('a tool that says it is in progress and then asks, however long the answer takes', async () => {
    watch.follow(call({ ...running }));
    watch.ask('1');
    watch.follow(call({ ...running }));
    await sleep(3 * TIME_TO_ASK_MS);
    expect(found).toEqual([]);
  });

  it('everything after it was stopped', async () => {
    watch.follow(call({ ...running }));
    watch.stop();
    watch.follow(call({ id: '2' }));
    await sleep(2 * TIME_TO_ASK_MS);
    expect(found).toEqual([]);
  });

  it('a command that only reads as reading, wherever it reads', () => {
    watch.follow(call({ kind: 'execute', command: 'git status', paths: ['/elsewhere'] }));
    expect(judged).toMatchObject([{ kind: 'read', command: 'git status', paths: [] }]);
  });
});

describe('a command only reads', () => {
  it.each(['ls -la', 'cat a b', 'git status && git diff', 'rg x | head -5', 'find . -name "*.ts"', 'cd src; pwd'])(
    '%s',
    (command) => expect(isReadingCommand(command)).toBe(true),
  );

  it.each([
    'touch x',
    'cat a > b',
    'echo $(touch x)',
    'ls; rm x',
    'find . -delete',
    'find . -exec rm {} +',
    'git log --output=x',
    'git diff --ext-diff',
    'rg --pre ./x y',
    'git push',
    'git -c core.pager=./x log',
    'PAGER=./x git log',
    'sort -o a b',
    '',
  ])('not %s', (command) => expect(isReadingCommand(command)).toBe(false));
});
