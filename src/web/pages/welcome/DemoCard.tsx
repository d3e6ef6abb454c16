import { useEffect, useState } from 'react';
import { type Demo, useDemo, useEnterDemo, useFillDemo, useRemoveDemo } from '../../api/demo.js';
import { percent } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import styles from './Welcome.module.css';

const POLL_MS = 500;

/** Fills the demo and enters it as soon as there are first charts; older weeks follow meanwhile. */
export function DemoCard() {
  const demo = useDemo({ everyMs: POLL_MS });
  const fill = useFillDemo();
  const enter = useEnterDemo();
  const [isWanted, setWanted] = useState(false);
  const canEnter = isWanted && demo.data?.progress?.hasCharts === true && !fill.isPending;
  const isWhole = demo.data?.state === 'ready';
  const { mutate, isIdle } = enter;
  useEffect(() => {
    if (canEnter && isIdle) mutate({ isWhole });
  }, [canEnter, isIdle, isWhole, mutate]);
  const lookAround = () => {
    setWanted(true);
    fill.mutate();
  };
  return (
    <Card title="Look around with demo data">
      <div className={styles.way}>
        <p>
          An organization of its own with 45 invented people and a year of their work. It is never mixed with yours, and
          one click removes it.
        </p>
        <Asked query={demo}>
          {(known) =>
            isWanted && !enter.isError ? (
              <Filling demo={known} />
            ) : (
              <Choices demo={known} onLook={lookAround} onAgain={() => enter.reset()} />
            )
          }
        </Asked>
      </div>
    </Card>
  );
}

function Filling({ demo: { progress, problem } }: { demo: Demo }) {
  const share = progress?.share ?? 0;
  if (problem !== undefined) return <p role="alert">It could not be filled: {problem}</p>;
  return (
    <div className={styles.filling} role="status">
      <progress className={styles.progress} value={share} max={1} aria-label="Filling the demo" />
      <span>
        {progress?.hasCharts
          ? 'Opening it …'
          : `${progress?.phase || 'Beginning'} … ${percent(Math.floor(share * 100) / 100)}`}
      </span>
    </div>
  );
}

interface ChoicesProps {
  readonly demo: Demo;
  readonly onLook: () => void;
  readonly onAgain: () => void;
}

function Choices({ demo: { state, organization, problem }, onLook, onAgain }: ChoicesProps) {
  const remove = useRemoveDemo();
  const look = () => {
    onAgain();
    onLook();
  };
  return (
    <>
      {problem !== undefined && <p role="alert">It could not be filled: {problem}</p>}
      <div className={styles.row}>
        <Button kind="primary" onClick={look} disabled={remove.isPending}>
          {state === 'none' ? 'Look around' : `Enter “${organization?.name ?? 'Demo'}”`}
        </Button>
        {state !== 'none' && (
          <Button kind="danger" onClick={() => remove.mutate()} disabled={remove.isPending}>
            {remove.isPending ? 'Removing …' : 'Remove the demo'}
          </Button>
        )}
      </div>
    </>
  );
}
