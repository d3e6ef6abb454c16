import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readShellSearch, type ShellSearch } from './shell/search.js';
import { Shell } from './shell/Shell.js';
import { NoSuchPage } from './shell/NoSuchPage.js';
import { PageFailure } from './shell/PageFailure.js';

/** Pages read their own part of the address themselves; whatever nobody reads stays in it. */
export interface ConsoleSearch extends ShellSearch {
  readonly [own: string]: unknown;
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  errorComponent: PageFailure,
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
const sessions = createRoute({
  getParentRoute,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./pages/sessions/SessionsPage.js'), 'SessionsPage'),
});
const session = createRoute({
  getParentRoute,
  path: '/sessions/$sessionId',
  component: lazyRouteComponent(() => import('./pages/session/SessionPage.js'), 'SessionPage'),
});
const computers = createRoute({
  getParentRoute,
  path: '/computers',
  component: lazyRouteComponent(() => import('./pages/computers/ComputersPage.js'), 'ComputersPage'),
});
const readiness = createRoute({
  getParentRoute,
  path: '/readiness',
  component: lazyRouteComponent(() => import('./pages/readiness/ReadinessPage.js'), 'ReadinessPage'),
});
const report = createRoute({
  getParentRoute,
  path: '/readiness/reports/$reportId',
  component: lazyRouteComponent(() => import('./pages/readiness/ReportPage.js'), 'ReportPage'),
});
const criterion = createRoute({
  getParentRoute,
  path: '/readiness/criteria/$criterion',
  component: lazyRouteComponent(() => import('./pages/readiness/CriterionPage.js'), 'CriterionPage'),
});
const connect = createRoute({
  getParentRoute,
  path: '/connect',
  component: lazyRouteComponent(() => import('./pages/connect/ConnectPage.js'), 'ConnectPage'),
});
const welcome = createRoute({
  getParentRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome/WelcomePage.js'), 'WelcomePage'),
});
const settings = createRoute({
  getParentRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/SettingsPage.js'), 'SettingsPage'),
});
const settingsSection = createRoute({
  getParentRoute,
  path: '/settings/$section',
  component: lazyRouteComponent(() => import('./pages/settings/SettingsPage.js'), 'SettingsPage'),
});
/** Signed in already, or the door again after a failed sign-in: the shell decides. */
const signIn = createRoute({
  getParentRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.js'), 'OverviewPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...([overview, usage, people, person, tools, sessions, session, computers, readiness, report, criterion] as const),
    ...([connect, welcome, settings, settingsSection, signIn] as const),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
