import { type ReactNode, useEffect, useRef } from 'react';
import styles from './Dialog.module.css';

interface Props {
  readonly title: string;
  /** Absent: it cannot be closed without an answer. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus inside and closes with Escape. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      <div className={styles.inside}>
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
