import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { Dialog } from './Dialog.js';
import styles from './Confirm.module.css';

interface Props {
  readonly title: string;
  /** What is done, as on the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What it means. */
  readonly children: ReactNode;
}

/** Asks before something that is hard to take back. */
export function Confirm({ title, verb, isDangerous = true, isRunning, onConfirm, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} disabled={isRunning} onClick={onConfirm}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
