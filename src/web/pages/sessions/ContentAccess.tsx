import { Link } from '@tanstack/react-router';
import { useMe } from '../../api/me.js';
import { useOrganizationSettings } from '../../api/organization-settings.js';
import styles from './Sessions.module.css';

/** Whether this person may read what others wrote; undefined: not known yet. */
export type ContentAccess = 'owners' | 'own' | 'not-an-owner' | undefined;

export function useContentAccess(): ContentAccess {
  const role = useMe().data?.role;
  const settings = useOrganizationSettings({ isEnabled: role === 'owner' });
  return role === 'manager' ? 'not-an-owner' : settings.data?.sessionContentAccess;
}

export function ContentNote({ access }: { access: ContentAccess }) {
  if (access === undefined) return null;
  return (
    <p className={styles.note}>
      {access === 'owners' && 'Owners may read the messages of others here. Each look is an entry in the audit log.'}
      {access === 'own' && (
        <>
          Messages and titles are shown to the person who wrote them. An owner can allow owners to read them:{' '}
          <Link to="/settings/$section" params={{ section: 'organization' }}>
            Settings
          </Link>
          , “Who may read sessions”.
        </>
      )}
      {access === 'not-an-owner' &&
        'Messages and titles are shown to the person who wrote them, and to owners where an owner has allowed that in Settings.'}
    </p>
  );
}
