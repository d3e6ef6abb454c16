import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { boundedCache } from '../../../common/bounded-cache.js';
import { Clock } from '../../../common/time/clock.js';
import { WriteBehind } from '../../../database/write-behind.js';
import { addPart, type ClaimPart, type ClaimState, mergeParts, noClaim, sumClaim } from './claim-state.js';
import {
  type ChangedClaim,
  type ClaimDay,
  type ClaimKey,
  ClaimsRepository,
  type StoredClaim,
} from './claims.repository.js';

/** Of all organizations, in this process. */
const MAX_WAITING = 20_000;
/** Sessions of one sender, agent and day; further ones are not compared. */
const MAX_PER_SENDER = 2_000;
const MAX_KNOWN = 50_000;

interface Waiting {
  readonly claim: ClaimKey;
  readonly part: ClaimPart;
}

/** Keeps what agents claim to have sent beside what arrived of it. */
@Injectable()
export class Claims implements OnApplicationShutdown {
  private readonly waiting: WriteBehind<Waiting>;
  /** Claims whose rows exist. */
  private readonly known = boundedCache<true>(MAX_KNOWN);

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly clock: Clock,
  ) {
    this.waiting = new WriteBehind<Waiting>({
      logger: new Logger('Claims'),
      merge: (waiting, { part }) => mergeParts(waiting.part, part),
      write: (orgId, rows) => this.write(orgId, rows),
      maxRows: MAX_WAITING,
    });
  }

  /** Waits when too many sessions are new at once, so that none has to be dropped. */
  async add(orgId: string, claim: ClaimKey, part: ClaimPart): Promise<void> {
    if (this.waiting.isFull) await this.waiting.flush();
    this.waiting.add(orgId, nameOf(claim), { claim, part });
  }

  flush(): Promise<void> {
    return this.waiting.flush();
  }

  onApplicationShutdown(): Promise<void> {
    return this.waiting.stop();
  }

  private async write(orgId: string, rows: Waiting[]): Promise<void> {
    const keys = rows.map(({ claim }) => claim);
    const isKnown = (claim: ClaimKey) => this.known.has(`${orgId} ${nameOf(claim)}`);
    const stored = await this.claims.transaction(async (tx) => {
      const unknown = keys.filter((claim) => !isKnown(claim));
      if (unknown.length > 0) this.claims.insertMissing(tx, orgId, unknown, noClaim(), MAX_PER_SENDER);
      const found = await this.claims.listForUpdate(tx, orgId, keys);
      const { claims, days } = merged(found, new Map(rows.map(({ claim, part }) => [nameOf(claim), part])));
      this.claims.update(tx, orgId, claims);
      this.claims.addToDays(tx, orgId, days, this.clock.now());
      return found;
    });
    for (const claim of stored) this.known.set(`${orgId} ${nameOf(claim)}`, true);
  }
}

function nameOf({ day, agent, userId, key }: ClaimKey): string {
  return `${day} ${agent} ${userId} ${key}`;
}

/** The new states, and by how much they change the sums of their days. */
function merged(
  stored: readonly StoredClaim[],
  parts: ReadonlyMap<string, ClaimPart>,
): { claims: ChangedClaim[]; days: ClaimDay[] } {
  const days = new Map<string, ClaimDay>();
  const claims = stored.map(({ before, ...claim }) => {
    const old = sumClaim(claim.state);
    const part = parts.get(nameOf(claim));
    if (part) addPart(claim.state, part, before);
    const key = `${claim.day} ${claim.agent}`;
    days.set(key, changed(days.get(key) ?? zeroDay(claim), old, claim.state));
    return claim;
  });
  return { claims, days: [...days.values()] };
}

function zeroDay({ day, agent }: ClaimKey): ClaimDay {
  return { day, agent, numbered: 0, numberedSeen: 0, claimed: 0, claimedSeen: 0 };
}

function changed(day: ClaimDay, old: ReturnType<typeof sumClaim>, state: ClaimState): ClaimDay {
  const now = sumClaim(state);
  return {
    ...day,
    numbered: day.numbered + now.numbered - old.numbered,
    numberedSeen: day.numberedSeen + now.numberedSeen - old.numberedSeen,
    claimed: day.claimed + now.claimed - old.claimed,
    claimedSeen: day.claimedSeen + now.claimedSeen - old.claimedSeen,
  };
}
