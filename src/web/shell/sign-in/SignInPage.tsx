import { useEffect } from 'react';
import { SignIn } from './SignIn.js';
import styles from './SignIn.module.css';

/** Why the identity provider's answer did not open the door; the reasons are those of docs/console.md. */
const REASONS: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, or began in another browser. Start again.',
  denied: 'Your identity provider did not let you in.',
  refused: 'You have no active account here, or your address is not confirmed. An owner can add you.',
  forbidden: 'A policy of your organization does not allow this, such as a list of networks.',
  busy: 'There were too many refused sign-ins from your address. Wait a minute.',
  unavailable: 'The identity provider or the database is not reachable. Try again in a moment.',
  insecure: 'This address is not encrypted, so single sign-on is not allowed over it.',
};

/** Shown instead of every page to whoever is not signed in. */
export function SignInPage({ refused }: { refused?: string | undefined }) {
  useEffect(() => {
    document.title = 'Sign in – Agent platform';
  }, []);
  const asked = new URLSearchParams(window.location.search);
  const reason = asked.get('error');
  const requestId = asked.get('requestId');
  const told = refused ?? (reason === null ? undefined : (REASONS[reason] ?? 'The sign-in did not work.'));
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Agent platform</h1>
        {told && (
          <p className={styles.refused} role="alert">
            {told}
            {requestId && ` (request ${requestId})`}
          </p>
        )}
        <SignIn />
      </div>
    </main>
  );
}
