import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../api/client.js';
import { useMe } from '../api/me.js';
import { Problem } from '../api/problem.js';
import { Asked } from '../ui/Asked.js';
import { Dialog } from '../ui/Dialog.js';
import { Toasts } from '../ui/Toasts.js';
import { Frame } from './Frame.js';
import { FirstRun } from './sign-in/FirstRun.js';
import { linkSecret } from './sign-in/one-time-link.js';
import { SignIn } from './sign-in/SignIn.js';
import { SignInPage } from './sign-in/SignInPage.js';
import { useSignedOut } from './sign-in/signed-out.js';

/** The door first: a one-time link is used up, who is not signed in signs in, everybody else sees the page. */
export function Shell() {
  const link = useQuery({
    queryKey: ['one-time-link'],
    queryFn: () => bodyOf(api.POST('/auth/session', { body: { link: linkSecret ?? '' } })),
    enabled: linkSecret !== null,
    staleTime: Infinity,
    retry: false,
  });
  if (linkSecret !== null && link.isPending) return null;
  return <Inside refused={link.error instanceof Problem ? link.error.detail : undefined} cameByLink={link.isSuccess} />;
}

function Inside({ refused, cameByLink }: { refused: string | undefined; cameByLink: boolean }) {
  const me = useMe();
  const isSignedOut = useSignedOut();
  if (me.error instanceof Problem && me.error.status === 401 && !me.data) return <SignInPage refused={refused} />;
  return (
    <>
      <Asked query={me}>{(known) => <Frame me={known} />}</Asked>
      {cameByLink && me.data && <FirstRun me={me.data} />}
      {isSignedOut && me.data && (
        <Dialog title="Your session has ended">
          <p>Sign in again to go on; the page stays as it is.</p>
          <SignIn />
        </Dialog>
      )}
      <Toasts />
    </>
  );
}
