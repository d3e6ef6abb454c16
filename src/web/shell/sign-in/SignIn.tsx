import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api, bodyOf } from '../../api/client.js';
import { useSignInMethods } from '../../api/sign-in-methods.js';
import { Problem } from '../../api/problem.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { TextField } from '../../ui/Field.js';
import { setSignedOut } from './signed-out.js';
import styles from './SignIn.module.css';

/** The doors that are open here. */
export function SignIn() {
  const methods = useSignInMethods();
  return (
    <Asked query={methods}>
      {({ methods: open, notice }) => (
        <div className={styles.doors}>
          {notice && <p className={styles.notice}>{notice}</p>}
          {open.includes('sso') && (
            <a className={styles.sso} href={`/auth/sso?to=${encodeURIComponent(hereAfterSignIn())}`}>
              Sign in with your company account
            </a>
          )}
          {open.includes('key') && <KeyForm />}
          {open.includes('link') && (
            <p className={styles.hint}>
              No key at hand? Whoever runs this installation can print a link that signs you in once:{' '}
              <code>npm run cli -- sign-in --user you@example.com</code>
            </p>
          )}
        </div>
      )}
    </Asked>
  );
}

/** The page that was asked for, without the reason of a sign-in that failed. */
function hereAfterSignIn(): string {
  const { pathname, search } = window.location;
  return pathname.endsWith('/sign-in') ? '/console/' : pathname + search;
}

function KeyForm() {
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const queries = useQueryClient();
  const signIn = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const apiKey = new FormData(form).get('apiKey');
    if (typeof apiKey !== 'string' || apiKey.trim() === '') {
      setProblem('Paste an API key; it begins with apk_.');
      return;
    }
    setSending(true);
    try {
      await bodyOf(api.POST('/auth/session', { body: { apiKey: apiKey.trim() } }));
      form.reset();
      setSignedOut(false);
      await queries.resetQueries();
    } catch (error) {
      setProblem(error instanceof Problem ? error.detail : 'The service is not reachable. Try again in a moment.');
    } finally {
      setSending(false);
    }
  };
  return (
    <form className={styles.form} onSubmit={(event) => void signIn(event)}>
      <TextField
        label="API key"
        name="apiKey"
        type="password"
        autoComplete="off"
        placeholder="apk_…"
        hint="The page forgets it at once; your session ends with the key."
        problem={problem}
      />
      <Button kind="primary" type="submit" disabled={isSending}>
        Sign in
      </Button>
    </form>
  );
}
