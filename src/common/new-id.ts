import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const RANDOM_BYTES = 16;

/** To ask for the random bytes of one id takes as long as for those of many. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;
let last = { msecs: 0, seq: 0 };

/** A UUID of version 7; of two that this process makes, the later one is greater. */
export function newId(): string {
  const random = randomBytes();
  const msecs = Date.now();
  last = msecs > last.msecs ? { msecs, seq: sequenceFrom(random) } : following(last);
  return uuidv7({ random, ...last });
}

/** Half of its range at most, so that counting does not soon run out of it. */
function sequenceFrom(random: Uint8Array): number {
  return new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
}

function following({ msecs, seq }: typeof last): typeof last {
  const next = (seq + 1) | 0;
  return next === 0 ? { msecs: msecs + 1, seq: next } : { msecs, seq: next };
}

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return pool.subarray(used - RANDOM_BYTES, used);
}
