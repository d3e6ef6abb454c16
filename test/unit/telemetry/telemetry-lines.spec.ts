import { describeRequest, FoldedLines } from '../../../src/modules/telemetry/telemetry-lines.js';
import type { Outcome } from '../../../src/modules/telemetry/telemetry-stats.js';

const request = { time: new Date('2026-11-15T12:30:45.678Z'), sender: 'dev@example.com', signal: 'logs' as const };
const NONE = { count: 0, reason: '' };

const counted = (name: string, records = 1): Outcome => ({
  agent: 'Codex',
  name,
  records,
  isIgnored: false,
  facts: { model_call: records },
});
const uncounted = (name: string): Outcome => ({ ...counted(name), facts: {} });
const ignored = (name: string, records = 1): Outcome => ({ ...counted(name, records), isIgnored: true, facts: {} });

const seen = (...outcomes: Outcome[]) => describeRequest(request, outcomes, NONE);

describe('a request in `telemetry tail`', () => {
  it('shows what counted, what was refused, what there was not to count, and last what was ignored', () => {
    const outcomes = [ignored('a', 2), uncounted('b'), ignored('c'), counted('d', 3)];
    expect(describeRequest(request, outcomes, { count: 1, reason: 'at lies in the future' }).line.split('\n')).toEqual([
      '12:30:45.678 logs of dev@example.com',
      '  Codex d x 3: 3 model_call',
      '  1 refused: at lies in the future',
      '  Codex b x 1: nothing to count',
      '  ignored x 3: Codex a x 2, Codex c',
    ]);
  });

  it('names some of many ignored records', () => {
    const many = Array.from({ length: 20 }, (_, i) => ignored(`name-${i}`));
    expect(seen(...many).line).toMatch(/ {2}ignored x 20: Codex name-0, .*Codex name-7 and 12 more names$/);
  });

  it('says when there was nothing', () => {
    expect(seen().line).toBe('12:30:45.678 logs of dev@example.com\n  empty');
  });

  it('fits into a notification', () => {
    const long = Array.from({ length: 200 }, (_, i) => counted(`${i}-${'x'.repeat(200)}`));
    expect(seen(...long).line.length).toBeLessThan(7_500);
  });
});

describe('requests in `telemetry tail`', () => {
  const shown = (...requests: ReturnType<typeof seen>[]) => {
    const folded = new FoldedLines();
    const lines = requests.flatMap((one) => folded.add(one));
    return [...lines, ...folded.flush()].map((line) => line.replace(/^.*\n/, ''));
  };

  it('are folded while they have nothing but the same ignored records, however many', () => {
    expect(shown(seen(ignored('a')), seen(ignored('a', 5)), seen(ignored('a')))).toEqual([
      '  ignored x 1: Codex a',
      '  and the same again x 2: ignored x 6',
    ]);
  });

  it('are shown one by one when something counted, or another record was ignored', () => {
    const requests = [
      seen(ignored('a')),
      seen(ignored('b')),
      seen(counted('c')),
      seen(counted('c')),
      seen(ignored('a')),
    ];
    expect(shown(...requests)).toHaveLength(5);
  });

  it('are not folded across people and signals', () => {
    const others = { ...request, sender: 'ops@example.com' };
    const traces = { ...request, signal: 'traces' as const };
    const requests = [request, others, traces].map((from) => describeRequest(from, [ignored('a')], NONE));
    expect(shown(...requests)).toHaveLength(3);
  });

  it('come with the number as soon as another one arrives', () => {
    expect(shown(seen(ignored('a')), seen(ignored('a')), seen(counted('b')), seen(ignored('a')))).toEqual([
      '  ignored x 1: Codex a',
      '  and the same again x 1: ignored x 1',
      '  Codex b x 1: 1 model_call',
      '  ignored x 1: Codex a',
    ]);
  });
});
