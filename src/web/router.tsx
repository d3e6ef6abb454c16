import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readShellSearch } from './shell/search.js';
import { Shell } from './shell/Shell.js';

const root = createRootRoute({ component: Shell, validateSearch: readShellSearch });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.js'), 'OverviewPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview]),
  basepath: '/console',
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
