import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { SecretBox } from './secret-box.js';
import type { EnterpriseControls } from './enterprise-controls.js';
import { mapSecrets, MASK } from './secret-places.js';

const SHOWN_END = 4;
const SHORTEST_WITH_SHOWN_END = 12;
/** Stands for a secret that no key opens. */
const UNREADABLE = `${MASK}unreadable`;

/** A secret that is stored: in clear, or as it is stored when no key opens it. */
type StoredSecret = { readonly secret: string } | { readonly unreadable: string };

/** A literal secret: where it stands, how it may be shown, and what tells it apart without revealing it. */
export interface ControlSecret {
  place: string;
  shown: string;
  fingerprint: Buffer;
}

/** What became of the secrets of some settings. */
export interface Resealed<T> {
  settings: T;
  /** How many secrets were sealed anew. */
  changed: number;
  unreadable: number;
}

/** Keeps literal secrets out of sight: sealed where they are stored, masked where they are shown. */
@Injectable()
export class ControlSecrets {
  constructor(private readonly box: SecretBox) {}

  /** What is stored. A value that is the mask of a secret in `previous` keeps that secret. */
  async seal<T extends EnterpriseControls>(settings: T, previous: EnterpriseControls | null): Promise<T> {
    const known = new KnownMasks();
    if (previous) {
      await mapSecrets(previous, async (stored, _, place) => {
        known.add(place, await this.read(stored));
        return stored;
      });
    }
    return mapSecrets(settings, async (value, field, place) => {
      if (!value.startsWith(MASK)) return this.box.seal(value);
      const kept = known.get(value, field, place);
      return 'secret' in kept ? this.box.seal(kept.secret) : kept.unreadable;
    });
  }

  /** What is shown. */
  mask<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, async (value) => maskOf(await this.read(value)));
  }

  /** What an agent works with. Secrets that no key opens are left out, and `onUnreadable` is told where. */
  open<T extends EnterpriseControls>(stored: T, onUnreadable: (field: string) => void = () => undefined): Promise<T> {
    return mapSecrets(stored, async (value, field) => {
      const read = await this.read(value);
      if ('secret' in read) return read.secret;
      onUnreadable(field);
      return null;
    });
  }

  /** The same settings with every secret sealed with the key that is used now; those that no key opens stay as they are. */
  async reseal<T extends EnterpriseControls>(stored: T): Promise<Resealed<T>> {
    let [changed, unreadable] = [0, 0];
    const settings = await mapSecrets(stored, async (value) => {
      if (this.box.isSealed(value) && (await this.box.isUpToDate(value))) return value;
      const read = await this.read(value);
      if ('secret' in read) {
        changed++;
        return this.box.seal(read.secret);
      }
      unreadable++;
      return value;
    });
    return { settings, changed, unreadable };
  }

  /** The secrets in what an agent works with. The same value in two places is two secrets. */
  async list(orgId: string, opened: EnterpriseControls): Promise<ControlSecret[]> {
    const secrets: ControlSecret[] = [];
    await mapSecrets(opened, async (secret, _, place) => {
      const fingerprint = await this.box.fingerprint(`${orgId} ${place} ${secret}`);
      secrets.push({ place, shown: maskOf({ secret }), fingerprint });
      return secret;
    });
    return secrets;
  }

  /** The same without them: fields that hold nothing else are left out. */
  withhold<T extends EnterpriseControls>(opened: T): Promise<T> {
    return mapSecrets(opened, () => Promise.resolve(null));
  }

  /** What is not sealed was stored before it was taken for a secret. */
  private async read(stored: string): Promise<StoredSecret> {
    const secret = this.box.isSealed(stored) ? await this.box.open(stored) : stored;
    return secret === null ? { unreadable: stored } : { secret };
  }
}

/** The masks of stored secrets, and what they stand for: at the same place, or anywhere when that is the only one. */
class KnownMasks {
  private readonly byPlace = new Map<string, StoredSecret>();
  private readonly byMask = new Map<string, Map<string, StoredSecret>>();

  add(place: string, stored: StoredSecret): void {
    const shown = maskOf(stored);
    this.byPlace.set(`${place} ${shown}`, stored);
    const same = this.byMask.get(shown) ?? new Map<string, StoredSecret>();
    this.byMask.set(shown, same.set(JSON.stringify(stored), stored));
  }

  get(shown: string, field: string, place: string): StoredSecret {
    const atPlace = this.byPlace.get(`${place} ${shown}`);
    if (atPlace) return atPlace;
    const [only, another] = this.byMask.get(shown)?.values() ?? [];
    if (only && !another) return only;
    throw InvalidRequestError.ofField(
      field,
      'looks masked but is not the mask of one stored secret; send the secret itself',
    );
  }
}

/** The end of a long secret tells it apart from others; of a short one, that would give too much away. */
function maskOf(stored: StoredSecret): string {
  if ('unreadable' in stored) return UNREADABLE;
  const { secret } = stored;
  return secret.length < SHORTEST_WITH_SHOWN_END ? MASK : MASK + secret.slice(-SHOWN_END);
}
