import { lazyRouteComponent } from '@tanstack/react-router';

const ALL = ['owner', 'manager', 'member', 'guest'] as const;
const WORKING = ['owner', 'manager', 'member'] as const;
const LEADING = ['owner', 'manager'] as const;
const OWNERS = ['owner'] as const;

/** The sections in the order of the side list; each is loaded when it is opened. `roles` as the service has them. */
export const SECTIONS = [
  {
    id: 'members',
    name: 'Members',
    group: 'People',
    roles: LEADING,
    Section: lazyRouteComponent(() => import('./members/MembersSection.js'), 'MembersSection'),
  },
  {
    id: 'teams',
    name: 'Teams',
    group: 'People',
    roles: LEADING,
    Section: lazyRouteComponent(() => import('./teams/TeamsSection.js'), 'TeamsSection'),
  },
  {
    id: 'limits',
    name: 'Credit limits',
    group: 'People',
    roles: LEADING,
    Section: lazyRouteComponent(() => import('./limits/LimitsSection.js'), 'LimitsSection'),
  },
  {
    id: 'controls',
    name: 'Controls',
    group: 'Organization',
    roles: LEADING,
    Section: lazyRouteComponent(() => import('./controls/ControlsSection.js'), 'ControlsSection'),
  },
  {
    id: 'prices',
    name: 'Prices',
    group: 'Organization',
    roles: OWNERS,
    Section: lazyRouteComponent(() => import('./prices/PricesSection.js'), 'PricesSection'),
  },
  {
    id: 'organization',
    name: 'Privacy',
    group: 'Organization',
    roles: OWNERS,
    Section: lazyRouteComponent(() => import('./organization/OrganizationSection.js'), 'OrganizationSection'),
  },
  {
    id: 'completeness',
    name: 'Data',
    group: 'Records',
    roles: LEADING,
    Section: lazyRouteComponent(() => import('./completeness/CompletenessSection.js'), 'CompletenessSection'),
  },
  {
    id: 'audit',
    name: 'Audit log',
    group: 'Records',
    roles: OWNERS,
    Section: lazyRouteComponent(() => import('./audit/AuditSection.js'), 'AuditSection'),
  },
  {
    id: 'api-keys',
    name: 'API keys',
    group: 'Access',
    roles: WORKING,
    Section: lazyRouteComponent(() => import('./api-keys/ApiKeysSection.js'), 'ApiKeysSection'),
  },
  {
    id: 'my-sessions',
    name: 'Where I am signed in',
    group: 'Access',
    roles: ALL,
    Section: lazyRouteComponent(() => import('./my-sessions/MySessionsSection.js'), 'MySessionsSection'),
  },
] as const;

export type Section = (typeof SECTIONS)[number];

export function mayOpen({ roles }: Section, role: string): boolean {
  return (roles as readonly string[]).includes(role);
}
