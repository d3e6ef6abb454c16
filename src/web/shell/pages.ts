import type { IconName } from './Icon.js';

const ALL = ['owner', 'manager', 'member', 'guest'] as const;
const WORKING = ['owner', 'manager', 'member'] as const;
const LEADING = ['owner', 'manager'] as const;

/** The pages of the console, in the order of the navigation. `key`: `g` and this letter lead to it. */
const PAGES = [
  { path: '/', name: 'Overview', key: 'o', icon: 'overview', roles: ALL },
  { path: '/usage', name: 'Usage & cost', key: 'u', icon: 'usage', roles: LEADING },
  { path: '/people', name: 'People', key: 'p', icon: 'people', roles: LEADING },
  { path: '/tools', name: 'Tools', key: 't', icon: 'tools', roles: LEADING },
  { path: '/sessions', name: 'Sessions', key: 's', icon: 'sessions', roles: WORKING },
  { path: '/computers', name: 'Computers', key: 'c', icon: 'computers', roles: WORKING },
  { path: '/readiness', name: 'Readiness', key: 'r', icon: 'readiness', roles: WORKING },
  { path: '/connect', name: 'Connect', key: 'a', icon: 'connect', roles: WORKING },
  { path: '/settings', name: 'Settings', key: ',', icon: 'settings', roles: ALL },
] as const satisfies readonly {
  path: string;
  name: string;
  key: string;
  icon: IconName;
  roles: readonly string[];
}[];

export type ConsolePage = (typeof PAGES)[number];

export function pagesOf(role: string): readonly ConsolePage[] {
  return PAGES.filter(({ roles }) => (roles as readonly string[]).includes(role));
}
