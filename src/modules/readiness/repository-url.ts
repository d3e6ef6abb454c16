/** Keys are part of an index. */
const MAX_LENGTH = 1000;

const SCHEMES = new Set(['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git', 'git+https', 'git+http']);
/** Other host names for ssh over port 443. */
const SSH_HOSTS = new Map([
  ['ssh.github.com', 'github.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
]);

/** `https://user@host:443/owner/name`, also `ssh://git@host:owner/name`. */
const WITH_SCHEME =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<user>[^/]*)@)?(?<host>\[[^/\]]+\]|[^:/@]+)(?::\d{0,5}(?=\/))?[:/](?<path>.+)$/i;
/** `git@host:owner/name`. */
const WITH_USER = /^(?<user>[^/@]+)@(?<host>\[[^/\]]+\]|[^:/@]+)[:/](?<path>.+)$/;
/** `host/owner/name`, `host:owner/name`; digits before a whole path are a port. */
const BARE = /^(?<host>\[[^/\]]+\]|[^:/@]+)(?::\d{1,5}(?=\/[^/]+\/[^/]))?[:/](?<path>.+)$/;

const HOST = /^(?:(?:[a-z0-9_-]+\.)*[a-z0-9_-]+|\[[0-9a-f:.]+\])$/;
const NAME = /^(?!\.{1,2}$)[\p{L}\p{N}\p{M}._~+@ -]+$/u;

export interface RepositoryAddress {
  /** `host/owner/name` in lower case, without scheme, user, port and `.git`: the same for every spelling. */
  readonly key: string;
  /** Whether it is clearly an address; `a/b/c` could be any path. */
  readonly isUrl: boolean;
  readonly hasCredentials: boolean;
}

/** Reads the usual spellings, also of ssh and with nested groups; null when it is no address. */
export function parseRepositoryUrl(text: string): RepositoryAddress | null {
  if (text.length > MAX_LENGTH || /[\s\\?#\p{C}]/u.test(text)) return null;
  const pattern = text.includes('://') ? WITH_SCHEME : text.includes('@') ? WITH_USER : BARE;
  const parts = pattern.exec(text)?.groups;
  const scheme = parts?.scheme?.toLowerCase();
  if (!parts || (scheme !== undefined && !SCHEMES.has(scheme))) return null;
  const host = hostOf(parts.host ?? '');
  const names = namesOf(parts.path ?? '');
  if (host === null || names === null || names.length < 2) return null;
  const key = [host, ...names].join('/');
  if (key.length > MAX_LENGTH) return null;
  return {
    key,
    isUrl: scheme !== undefined || parts.user !== undefined || host.includes('.'),
    hasCredentials: hasCredentials(scheme ?? 'ssh', parts.user),
  };
}

/** Over ssh the user is a login name; elsewhere it may be a token. */
function hasCredentials(scheme: string, user: string | undefined): boolean {
  return user !== undefined && (!scheme.includes('ssh') || user.includes(':'));
}

function hostOf(text: string): string | null {
  const url = `http://${text}`;
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/\.$/, '');
  return HOST.test(host) ? (SSH_HOSTS.get(host) ?? host) : null;
}

function namesOf(path: string): string[] | null {
  const names = path
    .replace(/\/*$/, '')
    .replace(/(?:\.git)+$/i, '')
    .split('/')
    .filter((name) => name !== '')
    .map(nameOf);
  return names.includes(null) ? null : (names as string[]);
}

function nameOf(text: string): string | null {
  const name = decoded(text)?.normalize('NFC').toLowerCase();
  return name !== undefined && NAME.test(name) ? encodeURIComponent(name).toLowerCase() : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
