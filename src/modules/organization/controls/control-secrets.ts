import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { SecretBox } from '../../../database/secret-box.js';
import type { CustomModel, EnterpriseControls, PluginSource } from './enterprise-controls.js';

const MASK = '****';
const SHOWN_END = 4;
const SHORTEST_WITH_SHOWN_END = 12;
/** Stands for a secret until it is cut out; nothing else can hold a NUL. */
const WITHHELD = '\u0000withheld\u0000';
/** `${KEY}`, also behind one word, as in `Bearer ${KEY}`. */
const REFERENCE = /^(?:\w+ )?\$\{\w+\}$/;

/** A literal secret: where it stands, how it may be shown, and what tells it apart without revealing it. */
export interface ControlSecret {
  place: string;
  shown: string;
  fingerprint: Buffer;
}

/** `place` stays the same when a model moves in the list. */
type Change = (secret: string, field: string, place: string) => Promise<string>;

/** Keeps literal secrets out of sight: sealed where they are stored, masked where they are shown. */
@Injectable()
export class ControlSecrets {
  constructor(private readonly box: SecretBox) {}

  /** What is stored. A value that is the mask of a secret in `previous` keeps that secret. */
  async seal<T extends EnterpriseControls>(settings: T, previous: EnterpriseControls | null): Promise<T> {
    const known = new Map<string, Set<string>>();
    if (previous) {
      await mapSecrets(previous, async (sealed, _, place) => {
        const secret = await this.box.open(sealed);
        known.set(`${place} ${mask(secret)}`, new Set([secret]));
        known.set(mask(secret), (known.get(mask(secret)) ?? new Set()).add(secret));
        return sealed;
      });
    }
    return mapSecrets(settings, (value, field, place) =>
      this.box.seal(value.startsWith(MASK) ? kept(known, value, field, place) : value),
    );
  }

  /** What is shown. */
  mask<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, async (sealed) => mask(await this.box.open(sealed)));
  }

  /** What an agent works with. */
  open<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, (sealed) => this.box.open(sealed));
  }

  /** The secrets in what an agent works with. The same value in two places is two secrets. */
  async list(orgId: string, opened: EnterpriseControls): Promise<ControlSecret[]> {
    const secrets: ControlSecret[] = [];
    await mapSecrets(opened, async (secret, _, place) => {
      const fingerprint = await this.box.fingerprint(`${orgId} ${place} ${secret}`);
      secrets.push({ place, shown: mask(secret), fingerprint });
      return secret;
    });
    return secrets;
  }

  /** The same without them: fields that hold nothing else are left out. */
  async withhold<T extends EnterpriseControls>(opened: T): Promise<T> {
    return leaveOut(await mapSecrets(opened, () => Promise.resolve(WITHHELD))) as T;
  }
}

function leaveOut(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(`:${WITHHELD}`, '').replaceAll(WITHHELD, '');
  if (Array.isArray(value)) return value.map(leaveOut);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== WITHHELD);
  return Object.fromEntries(kept.map(([field, item]) => [field, leaveOut(item)]));
}

function kept(known: Map<string, Set<string>>, value: string, field: string, place: string): string {
  const [secret, another] = known.get(`${place} ${value}`) ?? known.get(value) ?? [];
  if (secret === undefined || another !== undefined) {
    throw InvalidRequestError.ofField(
      field,
      'looks masked but is not the mask of one stored secret; send the secret itself',
    );
  }
  return secret;
}

/** The end of a long secret tells it apart from others; of a short one, that would give too much away. */
function mask(secret: string): string {
  return secret.length < SHORTEST_WITH_SHOWN_END ? MASK : MASK + secret.slice(-SHOWN_END);
}

/** Applies `change` to every literal secret of the settings: keys, header values, passwords in URLs. */
async function mapSecrets<T extends EnterpriseControls>(settings: T, change: Change): Promise<T> {
  const copy: EnterpriseControls = { ...settings };
  if (settings.customModels) {
    copy.customModels = await mapAll(settings.customModels, (model, i) =>
      mapModelSecrets(model, `customModels.${i}`, `customModels.${model.id ?? i}`, change),
    );
  }
  const urls = settings.modelPolicy?.allowedBaseUrls;
  if (urls) {
    const path = 'modelPolicy.allowedBaseUrls';
    const allowedBaseUrls = await mapAll(urls, (url, i) => mapPassword(url, `${path}.${i}`, `${path}.${i}`, change));
    copy.modelPolicy = { ...settings.modelPolicy, allowedBaseUrls };
  }
  if (settings.strictKnownMarketplaces) {
    copy.strictKnownMarketplaces = await mapAll(settings.strictKnownMarketplaces, (source, i) =>
      mapSource(source, `strictKnownMarketplaces.${i}`, change),
    );
  }
  if (settings.extraKnownMarketplaces) {
    const entries = await mapAll(Object.entries(settings.extraKnownMarketplaces), async ([name, { source }]) => {
      return [name, { source: await mapSource(source, `extraKnownMarketplaces.${name}.source`, change) }] as const;
    });
    copy.extraKnownMarketplaces = Object.fromEntries(entries);
  }
  return copy as T;
}

async function mapAll<T, U>(items: T[], map: (item: T, i: number) => Promise<U>): Promise<U[]> {
  const mapped: U[] = [];
  for (const [i, item] of items.entries()) mapped.push(await map(item, i));
  return mapped;
}

async function mapSource(source: PluginSource, path: string, change: Change): Promise<PluginSource> {
  if (source.url === undefined) return source;
  return { ...source, url: await mapPassword(source.url, `${path}.url`, `${path}.url`, change) };
}

async function mapModelSecrets(model: CustomModel, path: string, place: string, change: Change): Promise<CustomModel> {
  const copy = { ...model };
  if (isLiteral(model.apiKey)) copy.apiKey = await change(model.apiKey, `${path}.apiKey`, `${place}.apiKey`);
  if (model.baseUrl !== undefined) {
    copy.baseUrl = await mapPassword(model.baseUrl, `${path}.baseUrl`, `${place}.baseUrl`, change);
  }
  if (model.extraHeaders) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(model.extraHeaders)) {
      const header = `extraHeaders.${name}`;
      headers[name] = isLiteral(value) ? await change(value, `${path}.${header}`, `${place}.${header}`) : value;
    }
    copy.extraHeaders = headers;
  }
  return copy;
}

async function mapPassword(url: string, field: string, place: string, change: Change): Promise<string> {
  const [, before, password, after] =
    /^([a-z]+:[/\\]+[^/\\?#:]*:)([^/\\?#]+)(@[^@/\\?#]*(?:[/\\?#].*)?)$/i.exec(url) ?? [];
  if (before === undefined || password === undefined || !isLiteral(password)) return url;
  return before + (await change(password, field, place)) + (after ?? '');
}

/** A reference such as `${API_KEY}` is no secret: it names where the agent finds one. */
function isLiteral(value: string | undefined): value is string {
  return value !== undefined && value !== '' && !REFERENCE.test(value);
}
