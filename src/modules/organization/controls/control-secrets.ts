import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { SecretBox } from './secret-box.js';
import type { EnterpriseControls } from './enterprise-controls.js';
import { mapSecrets, MASK } from './secret-places.js';

const SHOWN_END = 4;
const SHORTEST_WITH_SHOWN_END = 12;
const UNREADABLE = `${MASK}unreadable`;

/** An opened secret, or the sealed text when no key opens it. */
type StoredSecret = { readonly secret: string } | { readonly unreadable: string };

/** A literal secret without its value: its place, its mask, and a fingerprint that identifies it. */
export interface ControlSecret {
  place: string;
  shown: string;
  fingerprint: Buffer;
}

export interface Resealed<T> {
  settings: T;
  changed: number;
  unreadable: number;
}

/** Literal secrets in controls: sealed in the database, masked in responses, open for agents. */
@Injectable()
export class ControlSecrets {
  constructor(private readonly box: SecretBox) {}

  /** Settings to store. The mask of a secret in `previous` stands for that secret. */
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

  mask<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, async (value) => maskOf(await this.read(value)));
  }

  /** Settings for an agent. Secrets that no key opens are left out and reported to `onUnreadable`. */
  open<T extends EnterpriseControls>(stored: T, onUnreadable: (field: string) => void = () => undefined): Promise<T> {
    return mapSecrets(stored, async (value, field) => {
      const read = await this.read(value);
      if ('secret' in read) return read.secret;
      onUnreadable(field);
      return null;
    });
  }

  /** Seals every secret with the current key; those that no key opens stay as they are. */
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

  /** The secrets in opened settings. The same value in two places is two secrets. */
  async list(orgId: string, opened: EnterpriseControls): Promise<ControlSecret[]> {
    const secrets: ControlSecret[] = [];
    await mapSecrets(opened, async (secret, _, place) => {
      const fingerprint = await this.box.fingerprint(`${orgId} ${place} ${secret}`);
      secrets.push({ place, shown: maskOf({ secret }), fingerprint });
      return secret;
    });
    return secrets;
  }

  /** Opened settings without their secrets. */
  withhold<T extends EnterpriseControls>(opened: T): Promise<T> {
    return mapSecrets(opened, () => Promise.resolve(null));
  }

  /** Text that is not sealed was stored before its field counted as a secret. */
  private async read(stored: string): Promise<StoredSecret> {
    const secret = this.box.isSealed(stored) ? await this.box.open(stored) : stored;
    return secret === null ? { unreadable: stored } : { secret };
  }
}

/** Finds the stored secret behind a mask: at the same place, or elsewhere when the mask is unique. */
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

/** Shows the end of a long secret; for a short one that would reveal too much. */
function maskOf(stored: StoredSecret): string {
  if ('unreadable' in stored) return UNREADABLE;
  const { secret } = stored;
  return secret.length < SHORTEST_WITH_SHOWN_END ? MASK : MASK + secret.slice(-SHOWN_END);
}
