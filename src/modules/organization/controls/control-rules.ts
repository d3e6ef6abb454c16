import { isObject, isUuid } from '../../../common/validation/predicates.js';
import { MapOf, Matches } from '../../../common/validation/rules.js';
import { isIpRange } from './network-policy.js';

const OVERRIDE_LEVELS = ['low', 'medium', 'high'];
const MAX_TEXT = 2000;

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
const isTextList = (value: unknown) => Array.isArray(value) && value.length <= 1000 && value.every(isText);
const hasOnly = (value: object, keys: string[]) => Object.keys(value).every((key) => keys.includes(key));
const freeMap = (values: object) => ({ type: 'object', additionalProperties: values }) as const;

export const HttpUrl = () =>
  Matches((value) => isText(value) && /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value), {
    message: 'must be an http or https URL',
    schema: {},
  });

export const CustomModelId = () =>
  Matches((value) => isText(value) && /^custom:\S{1,200}$/.test(value), {
    message: 'must start with "custom:"',
    schema: { pattern: '^custom:' },
  });

export const CommitHash = () =>
  Matches((value) => isText(value) && /^[0-9a-f]{40}$/.test(value), {
    message: 'must be 40 hexadecimal digits',
    schema: { pattern: '^[0-9a-f]{40}$' },
  });

export const IpRanges = () =>
  Matches((value) => Array.isArray(value) && value.length >= 1 && value.length <= 1000 && value.every(isIpText), {
    message: 'must be a list of 1 to 1000 IP addresses or CIDR ranges',
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000 },
  });

export const TextMap = () => MapOf(isText, 'must be an object with strings as values', freeMap({ type: 'string' }));

export const FlagMap = () =>
  MapOf((value) => typeof value === 'boolean', 'must be an object with true or false as values', {
    ...freeMap({ type: 'boolean' }),
  });

export const AnyMap = () => MapOf(() => true, 'must be an object', { type: 'object', additionalProperties: true });

export const McpAutonomyOverrides = () =>
  MapOf(
    (value) =>
      isObject(value) &&
      hasOnly(value, ['defaultLevel', 'tools']) &&
      (value.defaultLevel === undefined || isOverrideLevel(value.defaultLevel)) &&
      (value.tools === undefined || (isObject(value.tools) && Object.values(value.tools).every(isOverrideLevel))),
    'must map servers to {defaultLevel?, tools?} with the levels low, medium or high',
    { type: 'object', additionalProperties: true },
  );

export const UserModelPolicies = () =>
  Matches(
    (value) =>
      isObject(value) &&
      Object.entries(value).every(
        ([userId, lists]) =>
          isUuid(userId) &&
          isObject(lists) &&
          hasOnly(lists, ['allowedModelIds', 'blockedModelIds']) &&
          Object.values(lists).every(isTextList),
      ),
    {
      message: 'must map user ids to {allowedModelIds, blockedModelIds}',
      schema: { type: 'object', additionalProperties: true },
    },
  );

export const Marketplaces = () =>
  MapOf(
    (value) => isObject(value) && hasOnly(value, ['source']) && isMarketplaceSource(value.source),
    'must map names to {source} with a marketplace source: github, url, local or git-subdir',
    { type: 'object', additionalProperties: true },
  );

function isMarketplaceSource(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, ['source', 'repo', 'url', 'path', 'ref', 'sha'])) return false;
  return Object.values(value).every(isText) && isCompleteSource(value);
}

export function isCompleteSource(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.source) {
    case 'github':
      return isText(value.repo);
    case 'url':
      return isText(value.url);
    case 'local':
      return isText(value.path);
    case 'git-subdir':
      return isText(value.url) && isText(value.path);
    default:
      return false;
  }
}

function isIpText(value: unknown): boolean {
  return typeof value === 'string' && isIpRange(value);
}

function isOverrideLevel(value: unknown): boolean {
  return OVERRIDE_LEVELS.includes(value as string);
}
