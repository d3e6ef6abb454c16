import fc from 'fast-check';
import { EventCutter } from '../../../src/web/api/event-cutter.js';

const STREAM =
  'id: 1\nevent: message.created\ndata: {"a":1}\n\n: alive\n\nid: 2\r\ndata: one\r\ndata: two\r\n\r\nevent: ready\ndata\n\n';
const EVENTS = [
  { id: '1', event: 'message.created', data: '{"a":1}' },
  { id: '2', event: 'message', data: 'one\ntwo' },
  { id: null, event: 'ready', data: '' },
];

describe('a stream of events', () => {
  it('is read alike, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
        const cutter = new EventCutter();
        const ends = [...cuts.sort((a, b) => a - b), STREAM.length];
        const read = ends.flatMap((end, i) => cutter.push(STREAM.slice(ends[i - 1] ?? 0, end)));
        expect(read).toEqual(EVENTS);
      }),
    );
  });

  it('holds an event back until its last line has come', () => {
    expect(new EventCutter().push('event: a\ndata: x\n')).toEqual([]);
  });
});
