import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readShellSearch, type ShellSearch } from './shell/search.js';
import { Shell } from './shell/Shell.js';

/** Pages read their own part of the address themselves; whatever nobody reads stays in it. */
export type ConsoleSearch = ShellSearch & { readonly by?: string; readonly metric?: string };

const root = createRootRoute({
  component: Shell,
  validateSearch: (raw: Record<string, unknown>): ConsoleSearch => ({ ...raw, ...readShellSearch(raw) }),
});

const getParentRoute = () => root;

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.js'), 'OverviewPage'),
});
const usage = createRoute({
  getParentRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/usage/UsagePage.js'), 'UsagePage'),
});
const people = createRoute({
  getParentRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/people/PeoplePage.js'), 'PeoplePage'),
});
const person = createRoute({
  getParentRoute,
  path: '/people/$userId',
  component: lazyRouteComponent(() => import('./pages/people/PersonPage.js'), 'PersonPage'),
});
const tools = createRoute({
  getParentRoute,
  path: '/tools',
  component: lazyRouteComponent(() => import('./pages/tools/ToolsPage.js'), 'ToolsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, usage, people, person, tools]),
  basepath: '/console',
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
