import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useLiveStream } from '../api/live.js';
import type { Me } from '../api/me.js';
import { Account } from './Account.js';
import { DemoBanner } from './DemoBanner.js';
import { Help } from './Help.js';
import { Icon } from './Icon.js';
import { pagesOf } from './pages.js';
import { type Command, Palette, usePageCommands } from './Palette.js';
import { useTheme } from './theme.js';
import { useShortcuts } from './use-shortcuts.js';
import styles from './Frame.module.css';

/** What people come for, by the name they would type. */
const ACTIONS: readonly { readonly name: string; readonly to: string; readonly roles: readonly string[] }[] = [
  { name: 'Create an API key', to: '/settings/api-keys', roles: ['owner', 'manager', 'member'] },
  { name: 'Set a limit', to: '/settings/limits', roles: ['owner', 'manager'] },
  { name: 'Add a member', to: '/settings/members', roles: ['owner'] },
  { name: 'Change prices', to: '/settings/prices', roles: ['owner'] },
];

/** Navigation and bar around the page. */
export function Frame({ me }: { me: Me }) {
  useLiveStream();
  const pages = useMemo(() => pagesOf(me.role), [me.role]);
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const { switchTheme } = useTheme();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const navigate = useNavigate();
  const commands: Command[] = [
    ...usePageCommands(pages),
    { kind: 'Action', name: 'Switch between light and dark', run: switchTheme },
    { kind: 'Action', name: 'Keyboard shortcuts', run: () => setOpen('help') },
    ...ACTIONS.filter(({ roles }) => roles.includes(me.role)).map(({ name, to }) => ({
      kind: 'Action',
      name,
      run: () => void navigate({ to }),
    })),
  ];
  const shortcuts = useMemo(
    () => ({
      'mod+k': () => setOpen('palette'),
      '/': () => setOpen('palette'),
      '?': () => setOpen('help'),
      ...Object.fromEntries(
        pages.map(({ key, path: to }) => [`g ${key}`, () => void navigate({ to, search: (now) => now })]),
      ),
    }),
    [pages, navigate],
  );
  useShortcuts(shortcuts);

  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        To the content
      </a>
      <nav className={styles.rail} aria-label="Pages">
        <div className={styles.brand}>
          <Icon name="brand" />
          <span>{me.organization.name}</span>
        </div>
        {pages.map(({ path: to, name, icon }) => (
          <Link key={to} to={to} search={(now) => now} {...(isIn(path, to) ? { 'aria-current': 'page' as const } : {})}>
            <Icon name={icon} />
            <span>{name}</span>
          </Link>
        ))}
      </nav>
      <div className={styles.column}>
        <header className={styles.bar}>
          <button type="button" className={styles.find} onClick={() => setOpen('palette')}>
            <Icon name="search" />
            <span>Find a page, person, session …</span>
            <kbd>/</kbd>
          </button>
          <Account me={me} onHelp={() => setOpen('help')} />
        </header>
        {me.organization.demo && <DemoBanner />}
        <main id="content" className={styles.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {open === 'palette' && <Palette role={me.role} commands={commands} onClose={() => setOpen(null)} />}
      {open === 'help' && <Help pages={pages} onClose={() => setOpen(null)} />}
    </div>
  );
}

function isIn(path: string, page: string): boolean {
  return page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`);
}
