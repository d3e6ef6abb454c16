/** The pages of the console, in the order of the navigation. `key`: `g` and this letter lead to it. */
export const PAGES = [
  { path: '/', name: 'Overview', key: 'o', roles: ['owner', 'manager', 'member'] },
  { path: '/usage', name: 'Usage & cost', key: 'u', roles: ['owner', 'manager'] },
  { path: '/people', name: 'People', key: 'p', roles: ['owner', 'manager'] },
  { path: '/tools', name: 'Tools', key: 't', roles: ['owner', 'manager'] },
] as const;

export type PagePath = (typeof PAGES)[number]['path'];
