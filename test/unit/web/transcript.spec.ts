import fc from 'fast-check';
import type { Message } from '../../../src/web/api/messages.js';
import {
  EMPTY,
  type Entry,
  reduce,
  type StreamChange,
  touches,
  type Transcript,
  type TranscriptAction,
} from '../../../src/web/pages/session/transcript.js';

const message = (id: string, updatedAt = 0, text = ''): Message => ({
  ...{ id, role: 'assistant', createdAt: 0, updatedAt, content: [{ type: 'text', text }] },
});
/** As the service answers: newest first. */
const page = (ids: string[], older: string | null = null) => ({
  messages: ids.map((id) => message(id)).reverse(),
  older,
});
const created = (entry: Entry): TranscriptAction => ({ type: 'told', change: { type: 'created', entry } });
const updated = (entry: Entry): TranscriptAction => ({ type: 'told', change: { type: 'updated', entry } });
const after = (...actions: TranscriptAction[]) => actions.reduce(reduce, EMPTY);
const idsOf = ({ entries }: Transcript) => entries.map(({ id }) => id);

describe('a transcript', () => {
  it('shows the newest page oldest first', () => {
    expect(idsOf(after({ type: 'tail', page: page(['a', 'b']) }))).toEqual(['a', 'b']);
  });

  it('appends what is created', () => {
    const transcript = after({ type: 'tail', page: page(['a']) }, created(message('b')), created(message('c')));
    expect(idsOf(transcript)).toEqual(['a', 'b', 'c']);
  });

  it('shows a message once, however often it is told', () => {
    const transcript = after({ type: 'tail', page: page(['a', 'b']) }, created(message('b')), created(message('b')));
    expect(idsOf(transcript)).toEqual(['a', 'b']);
  });

  it('replaces a message by its newer form, and never by an older one', () => {
    const start = after({ type: 'tail', page: page(['a']) }, created(message('b', 5, 'new')));
    expect(reduce(start, updated(message('b', 4, 'old'))).entries[1]).toMatchObject({ content: [{ text: 'new' }] });
    expect(reduce(start, updated(message('b', 6, 'newer'))).entries[1]).toMatchObject({ content: [{ text: 'newer' }] });
  });

  it('keeps what the stream tells while the newest page is being read, and appends it behind the page', () => {
    const waiting = after(created(message('c')), updated(message('b', 9, 'late')));
    expect(idsOf(waiting)).toEqual([]);
    const transcript = reduce(waiting, { type: 'tail', page: page(['a', 'b']) });
    expect(idsOf(transcript)).toEqual(['a', 'b', 'c']);
    expect(transcript.entries[1]).toMatchObject({ content: [{ text: 'late' }] });
  });

  it('puts in what was missed when the newest page is read again, in its place', () => {
    const broken = after({ type: 'tail', page: page(['a', 'b'], 'older') }, { type: 'reading' }, created(message('e')));
    const mended = reduce(broken, { type: 'tail', page: page(['b', 'c', 'd', 'e'], 'x') });
    expect(idsOf(mended)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(mended.older).toBe('older');
  });

  it('begins anew behind a hole that was not closed', () => {
    const before = after({ type: 'tail', page: page(['a', 'b']) }, { type: 'reading' });
    expect(touches(before, page(['x', 'y'], 'older'))).toBe(false);
    expect(touches(before, page(['b', 'x'], 'older'))).toBe(true);
    const transcript = reduce(before, { type: 'tail', page: page(['x', 'y'], 'older') });
    expect([idsOf(transcript), transcript.older]).toEqual([['x', 'y'], 'older']);
  });

  it('puts older messages in front, without those that it has', () => {
    const start = after({ type: 'tail', page: page(['c', 'd'], 'older') });
    const transcript = reduce(start, { type: 'older', page: page(['a', 'b', 'c']) });
    expect([idsOf(transcript), transcript.older]).toEqual([['a', 'b', 'c', 'd'], null]);
  });

  it('ignores a change of a message that is older than what is loaded, and takes any other for a gap', () => {
    const partly = after({ type: 'tail', page: page(['c'], 'older') }, updated(message('a')));
    expect([idsOf(partly), partly.hasGap]).toEqual([['c'], false]);
    const whole = after({ type: 'tail', page: page(['c']) }, updated(message('a')));
    expect(whole.hasGap).toBe(true);
    expect(reduce(whole, { type: 'tail', page: page(['a', 'c']) }).hasGap).toBe(false);
  });

  it('keeps the place of a large message until it is read, also while a page is being read', () => {
    const announced = { id: 'b', isAnnounced: true as const };
    const start = after({ type: 'tail', page: page(['a']) }, created(announced), created(message('c')));
    expect(idsOf(start)).toEqual(['a', 'b', 'c']);
    const transcript = reduce(start, { type: 'read', message: message('b', 1, 'large') });
    expect(transcript.entries[1]).toMatchObject({ content: [{ text: 'large' }] });
    const early = after(created(announced), { type: 'read', message: message('b', 1, 'large') });
    expect(reduce(early, { type: 'tail', page: page(['a']) }).entries[1]).toMatchObject({
      content: [{ text: 'large' }],
    });
  });

  it('is the session whatever is told twice, and wherever the stream broke', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 30 }), fc.nat(20), fc.nat(20), (repeated, begin, length) => {
        const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
        const tell = (from: number): StreamChange[] =>
          ids.slice(from).map((id) => ({ type: 'created', entry: message(id) }));
        const readUntil = Math.min(begin + length, 30);
        // The page ends somewhere, and the stream begins before that: it overlaps, and repeats some.
        let state = reduce(EMPTY, { type: 'tail', page: page(ids.slice(0, Math.max(readUntil, 1))) });
        for (const change of tell(Math.min(begin, readUntil))) {
          state = reduce(state, { type: 'told', change });
          for (const at of repeated) {
            const entry = state.entries[at];
            if (entry) state = reduce(state, { type: 'told', change: { type: 'created', entry } });
          }
        }
        expect(idsOf(state)).toEqual(ids);
      }),
    );
  });
});
