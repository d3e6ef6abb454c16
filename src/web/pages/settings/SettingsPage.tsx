import { Navigate, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useMe } from '../../api/me.js';
import { NoSuchPage } from '../../shell/NoSuchPage.js';
import { Asked } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { mayOpen, SECTIONS } from './sections.js';
import { SectionList } from './SectionList.js';
import styles from './Settings.module.css';

/** `/settings` leads to the first section of the role; each section is loaded when it is opened. */
export function SettingsPage() {
  const { section } = useParams({ strict: false });
  return <Asked query={useMe()}>{({ role }) => <Settings role={role} id={section} />}</Asked>;
}

function Settings({ role, id }: { role: string; id: string | undefined }) {
  const open = SECTIONS.filter((section) => mayOpen(section, role));
  const [first] = open;
  if (id === undefined && first) {
    return <Navigate to="/settings/$section" params={{ section: first.id }} search={(now) => now} replace />;
  }
  const section = SECTIONS.find((one) => one.id === id);
  if (!section) return <NoSuchPage />;
  const { name, roles, Section } = section;
  return (
    <Page title="Settings">
      <div className={styles.columns}>
        <SectionList sections={open} current={section.id} />
        <div className={styles.section}>
          {mayOpen(section, role) ? (
            <Suspense>
              <Section />
            </Suspense>
          ) : (
            <NotForRole name={name} role={role} roles={roles} />
          )}
        </div>
      </div>
    </Page>
  );
}

function NotForRole({ name, role, roles }: { name: string; role: string; roles: readonly string[] }) {
  return (
    <div className={styles.refused} role="status">
      <h2>{name}: not for your role</h2>
      <p>
        You are a {role}. This section is for {roles.map((one) => `${one}s`).join(' and ')}. An owner of your
        organization can change your role.
      </p>
    </div>
  );
}
