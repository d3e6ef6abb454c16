import { isUuid } from '../../../common/validation/predicates.js';
import type { CustomModel, EnterpriseControls, PluginSource } from './enterprise-controls.js';

/** Every shown secret begins with it. */
export const MASK = '****';
const SEALED = 'sealed.v1.';
/** `${KEY}` or `Bearer ${KEY}`. */
const REFERENCE = /^(?:\w+ )?\$\{\w+\}$/;
const SECRET_NAME =
  /token(?!s|iz)|secret|passw|pwd|(api|access|private|account)[-_]?key|auth(?!or(?!iz))|credential|signature|^(key|sig)$/i;
/** Values of such a field that are no secret. */
const PLAIN_WORD = /^(true|false|none|null|basic|bearer|\d{1,4})$/i;
const TOKEN_PREFIX =
  /^(gh[a-z]_|github_pat_|gl[a-z]{2,5}-|sk-|pk-|rk_|xox[a-z]-|apk_|apc_|hf_|npm_|pypi-|AKIA|ASIA|AIza|ya29\.|eyJ|ATATT|dop_v1_|shp[a-z]{2}_)/;
const SHORTEST_TOKEN = 16;

/** Returns the new text of a secret; null leaves it out. `field` is for messages; `place` survives a move in a list. */
export type SecretChange = (secret: string, field: string, place: string) => Promise<string | null>;

interface Place {
  readonly field: string;
  readonly place: string;
}

/**
 * Applies `change` to every literal secret of the settings: keys, header values, passwords and tokens in URLs, and anything
 * that looks like a secret in `extraArgs`.
 */
export async function mapSecrets<T extends EnterpriseControls>(settings: T, change: SecretChange): Promise<T> {
  const copy: EnterpriseControls = { ...settings };
  if (settings.customModels) {
    copy.customModels = await mapAll(settings.customModels, (model, i) =>
      mapModel(model, { field: `customModels.${i}`, place: `customModels.${model.id ?? i}` }, change),
    );
  }
  const urls = settings.modelPolicy?.allowedBaseUrls;
  if (urls) {
    const allowedBaseUrls = await mapAll(urls, (url, i) =>
      mapUrl(url, fixed(`modelPolicy.allowedBaseUrls.${i}`), change),
    );
    copy.modelPolicy = { ...settings.modelPolicy, allowedBaseUrls };
  }
  if (settings.strictKnownMarketplaces) {
    copy.strictKnownMarketplaces = await mapAll(settings.strictKnownMarketplaces, (source, i) =>
      mapSource(source, fixed(`strictKnownMarketplaces.${i}`), change),
    );
  }
  if (settings.extraKnownMarketplaces) {
    const entries = await mapAll(Object.entries(settings.extraKnownMarketplaces), async ([name, { source }]) => {
      return [
        name,
        { source: await mapSource(source, fixed(`extraKnownMarketplaces.${name}.source`), change) },
      ] as const;
    });
    copy.extraKnownMarketplaces = Object.fromEntries(entries);
  }
  return copy as T;
}

async function mapModel(model: CustomModel, at: Place, change: SecretChange): Promise<CustomModel> {
  const copy = { ...model };
  if (isLiteral(model.apiKey)) {
    const apiKey = await changeAt(model.apiKey, within(at, 'apiKey'), change);
    if (apiKey === null) delete copy.apiKey;
    else copy.apiKey = apiKey;
  }
  if (model.baseUrl !== undefined) copy.baseUrl = await mapUrl(model.baseUrl, within(at, 'baseUrl'), change);
  if (model.extraHeaders) {
    copy.extraHeaders = {};
    for (const [name, value] of Object.entries(model.extraHeaders)) {
      const mapped = isLiteral(value) ? await changeAt(value, within(at, `extraHeaders.${name}`), change) : value;
      if (mapped !== null) copy.extraHeaders[name] = mapped;
    }
  }
  if (model.extraArgs) copy.extraArgs = await mapObject(model.extraArgs, within(at, 'extraArgs'), change);
  return copy;
}

async function mapSource(source: PluginSource, at: Place, change: SecretChange): Promise<PluginSource> {
  const copy = { ...source };
  if (source.url !== undefined) copy.url = await mapUrl(source.url, within(at, 'url'), change);
  if (source.repo !== undefined) copy.repo = await mapUrl(source.repo, within(at, 'repo'), change);
  return copy;
}

async function mapObject(value: object, at: Place, change: SecretChange): Promise<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const mapped = await mapValue(inner, name, within(at, name), change);
    if (mapped !== null || inner === null) entries.push([name, mapped]);
  }
  return Object.fromEntries(entries);
}

async function mapValue(value: unknown, name: string, at: Place, change: SecretChange): Promise<unknown> {
  if (typeof value === 'string') {
    return looksSecret(name, value) ? changeAt(value, at, change) : mapUrl(value, at, change);
  }
  if (Array.isArray(value)) {
    const mapped = await mapAll(value, async (inner: unknown, i) => {
      const result = await mapValue(inner, name, within(at, `${i}`), change);
      return result === null && inner !== null ? [] : [result];
    });
    return mapped.flat();
  }
  return typeof value === 'object' && value !== null ? mapObject(value, at, change) : value;
}

/** Changes the password, a token as user name, and tokens in the query; the rest of the text stays. */
async function mapUrl(url: string, at: Place, change: SecretChange): Promise<string> {
  const [, scheme, userInfo, rest, query] =
    /^([a-z][a-z0-9+.-]*:[/\\]+)(?:([^/\\?#]*)@)?([^?#]*)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) return url;
  const user = userInfo === undefined ? '' : await mapUserInfo(userInfo, at, change);
  return scheme + user + (rest ?? '') + (await mapQuery(query ?? '', at, change));
}

async function mapUserInfo(userInfo: string, at: Place, change: SecretChange): Promise<string> {
  const colon = userInfo.indexOf(':');
  const name = colon < 0 ? userInfo : userInfo.slice(0, colon);
  const user = looksSecret('', name) ? await changeAt(name, partOf(at, 'user'), change) : name;
  if (colon < 0) return user === null ? '' : `${user}@`;
  const password = userInfo.slice(colon + 1);
  const mapped = isLiteral(password) ? await changeAt(password, at, change) : password;
  return mapped === null ? `${user ?? ''}@` : `${user ?? ''}:${mapped}@`;
}

async function mapQuery(query: string, at: Place, change: SecretChange): Promise<string> {
  const mapped = await mapAll(query.split(/(?=[?&;#])/), async (piece) => {
    const [, start, name, value] = /^([?&;#]([^=]*)=)(.*)$/s.exec(piece) ?? [];
    if (start === undefined || name === undefined || value === undefined || !looksSecret(name, value)) return piece;
    return start + ((await changeAt(value, partOf(at, name), change)) ?? '');
  });
  return mapped.join('');
}

/** For fields that are mostly no secrets. Masked or sealed text counted as a secret before. */
function looksSecret(name: string, value: string): boolean {
  if (value.startsWith(MASK) || value.startsWith(SEALED)) return true;
  if (!isLiteral(value)) return false;
  if (SECRET_NAME.test(name) && !PLAIN_WORD.test(value)) return true;
  return value.length >= SHORTEST_TOKEN && (TOKEN_PREFIX.test(value) || isRandom(value));
}

/** Letters and digits mixed as in no word, number or date. */
function isRandom(value: string): boolean {
  if (!/^[\w.~+/=-]+$/.test(value) || isUuid(value)) return false;
  return (value.match(/\d/g)?.length ?? 0) >= 3 && (value.match(/\d[a-z]|[a-z]\d/gi)?.length ?? 0) >= 4;
}

/** A reference such as `${API_KEY}` is no secret. */
function isLiteral(value: string | undefined): value is string {
  return value !== undefined && value !== '' && !REFERENCE.test(value);
}

function changeAt(secret: string, { field, place }: Place, change: SecretChange): Promise<string | null> {
  return change(secret, field, place);
}

function fixed(field: string): Place {
  return { field, place: field };
}

function partOf({ field, place }: Place, name: string): Place {
  return { field, place: `${place} ${name}` };
}

function within({ field, place }: Place, name: string): Place {
  return { field: `${field}.${name}`, place: `${place}.${name}` };
}

async function mapAll<T, U>(items: readonly T[], map: (item: T, i: number) => Promise<U>): Promise<U[]> {
  const mapped: U[] = [];
  for (const [i, item] of items.entries()) mapped.push(await map(item, i));
  return mapped;
}
