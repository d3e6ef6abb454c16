import type { AuditFilter } from '../../../api/audit.js';
import { addDays, isDay } from '../../../ranges.js';
import { textOf } from '../address-text.js';

/** What the address holds: days, which the service gets as instants. */
export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** First and last day, UTC. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export function readAuditSearch(raw: Record<string, unknown>): AuditSearch {
  return {
    actor: textOf(raw.actor)?.slice(0, 320),
    action: textOf(raw.action)?.slice(0, 100),
    target: textOf(raw.target)?.slice(0, 200),
    since: isDay(raw.since) ? raw.since : undefined,
    until: isDay(raw.until) ? raw.until : undefined,
  };
}

export function filterOf({ actor, action, target, since, until }: AuditSearch): AuditFilter {
  return {
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(target ? { target } : {}),
    ...(since ? { from: `${since}T00:00:00Z` } : {}),
    ...(until ? { to: `${addDays(until, 1)}T00:00:00Z` } : {}),
  };
}

/** What the log knows of; each kind finds all of its actions. */
export const ACTIONS: Readonly<Record<string, string>> = {
  '': 'Everything',
  user: 'People: all changes',
  'user.credit_limit_changed': 'People: credit limits',
  'user.erased': 'People: erased',
  team: 'Teams: all changes',
  api_key: 'API keys: all changes',
  computer: 'Computers: all changes',
  computer_token: 'Computers: tokens',
  enterprise_controls: 'Controls: all changes',
  secret: 'Controls: secrets released to computers',
  organization_prices: 'Prices: all changes',
  organization_settings: 'Privacy: all changes',
  session: 'Sessions: messages read by owners',
  console: 'Console: all sign-ins',
  'console.sign_in_refused': 'Console: refused sign-ins',
};
