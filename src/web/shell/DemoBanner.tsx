import { useDemo, useLeaveAndRemoveDemo, useLeaveDemo } from '../api/demo.js';
import { useSignInMethods } from '../api/sign-in-methods.js';
import { percent } from '../format.js';
import { Button } from '../ui/Button.js';
import styles from './DemoBanner.module.css';

/** Above every page of the demo, so that nobody takes its figures for real ones. */
export function DemoBanner() {
  const { data: demo } = useDemo();
  const canReturn = useSignInMethods().data?.canReturn ?? false;
  const leave = useLeaveDemo();
  const remove = useLeaveAndRemoveDemo();
  const isBusy = leave.isPending || remove.isPending;
  return (
    <section className={styles.banner} aria-label="Demo" data-banner>
      <span>
        <strong>Demo organization: invented figures.</strong>{' '}
        {demo?.state === 'filling' && (
          <span role="status">
            {demo.progress?.phase || 'It'} {demo.progress?.phase ? 'are' : 'is'} being added,{' '}
            {percent(Math.floor((demo.progress?.share ?? 0) * 100) / 100)}.{' '}
          </span>
        )}
        {!canReturn && (
          <>
            Sign out to leave it; <code>npm run cli -- demo --remove</code> removes it.
          </>
        )}
      </span>
      {canReturn && (
        <span className={styles.actions}>
          <Button onClick={() => leave.mutate()} disabled={isBusy}>
            Back to your own
          </Button>
          <Button kind="danger" onClick={() => remove.mutate()} disabled={isBusy}>
            {remove.isPending ? 'Removing …' : 'Remove the demo'}
          </Button>
        </span>
      )}
    </section>
  );
}
