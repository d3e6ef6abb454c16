import { createHash } from 'node:crypto';
import Sequencer from '@jest/test-sequencer';

/** Slowest file first or, with `SHUFFLE=<seed>`, in random order, to show that the order does not matter. */
export default class ShufflingSequencer extends Sequencer {
  sort(tests) {
    const seed = process.env.SHUFFLE;
    if (!seed) return super.sort(tests);
    const place = ({ path }) => createHash('sha1').update(`${seed} ${path}`).digest('hex');
    return [...tests].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  }
}
