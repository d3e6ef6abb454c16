import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMe } from '../api/me.js';
import { Asked } from '../ui/Asked.js';
import { Button } from '../ui/Button.js';
import { PAGES } from './pages.js';
import { type Command, Palette, usePageCommands } from './Palette.js';
import { chooseTheme, currentTheme } from './theme.js';
import { useShortcuts } from './use-shortcuts.js';
import styles from './Shell.module.css';

/** Navigation around the page; who is not signed in gets the sign-in instead. */
export function Shell() {
  const me = useMe();
  return <Asked query={me}>{({ role }) => <Frame role={role} />}</Asked>;
}

function Frame({ role }: { role: string }) {
  const pages = useMemo(() => PAGES.filter(({ roles }) => (roles as readonly string[]).includes(role)), [role]);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [theme, setTheme] = useState(currentTheme());
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const navigate = useNavigate();
  const commands: Command[] = [...usePageCommands(pages), { name: 'Switch between light and dark', run: switchTheme }];

  function switchTheme(): void {
    const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
    const next = isDark ? 'light' : 'dark';
    chooseTheme(next);
    setTheme(next);
  }

  const shortcuts = useMemo(
    () => ({
      'mod+k': () => setPaletteOpen(true),
      '/': () => setPaletteOpen(true),
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
        <div className={styles.brand}>Agent platform</div>
        {pages.map(({ path: to, name }) => (
          <Link key={to} to={to} search={(now) => now} {...(path === to ? { 'aria-current': 'page' as const } : {})}>
            {name}
          </Link>
        ))}
      </nav>
      <main id="content" className={styles.main}>
        <div className={styles.bar}>
          <Button onClick={() => setPaletteOpen(true)}>Go to … (/)</Button>
          <Button onClick={switchTheme}>Light or dark</Button>
        </div>
        <Outlet />
      </main>
      {isPaletteOpen && <Palette commands={commands} onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}
