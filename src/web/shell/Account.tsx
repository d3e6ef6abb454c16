import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useRef } from 'react';
import { useAction } from '../api/action.js';
import { api, bodyOf } from '../api/client.js';
import type { Me } from '../api/me.js';
import { useTheme } from './theme.js';
import styles from './Account.module.css';

/** Who is signed in, and what concerns them alone. */
export function Account({ me, onHelp }: { me: Me; onHelp: () => void }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const { switchTheme } = useTheme();
  const version = useQuery({
    queryKey: ['version'],
    queryFn: () => bodyOf(api.GET('/api/v0/version')),
    staleTime: Infinity,
  });
  const signOut = useAction({
    run: () => bodyOf(api.POST('/auth/sign-out')),
    onDone: () => window.location.assign('/console/'),
  });
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-label={`Account of ${me.user.email}`}
        data-initial={me.user.email.slice(0, 1).toUpperCase()}
      />
      <div id={id} ref={menu} popover="auto" className={styles.menu}>
        <div className={styles.who}>
          <strong>{me.user.email}</strong>
          <span>
            {me.role} of {me.organization.name}
          </span>
        </div>
        <button type="button" onClick={switchTheme}>
          Light or dark
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            onHelp();
          }}
        >
          Keyboard shortcuts
        </button>
        <Link to="/settings/$section" params={{ section: 'my-sessions' }} onClick={close}>
          Where I am signed in
        </Link>
        <a href="/docs">API reference</a>
        <button type="button" onClick={() => signOut.mutate()}>
          Sign out
        </button>
        {version.data && <span className={styles.version}>Version {version.data.version}</span>}
      </div>
    </>
  );
}
