import { createContext, type ReactNode, useContext, useState } from 'react';
import styles from './parts.module.css';

/** What the reader has opened, by id: rows that are scrolled out of sight are not kept. */
export const OpenFolds = createContext<Set<string>>(new Set());

interface Props {
  readonly id: string;
  readonly summary: ReactNode;
  /** Made only when it is opened. */
  readonly children: () => ReactNode;
}

export function Fold({ id, summary, children }: Props) {
  const open = useContext(OpenFolds);
  const [isOpen, setOpen] = useState(() => open.has(id));
  return (
    <details
      className={styles.fold}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) open.add(id);
        else open.delete(id);
        setOpen(currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      {isOpen && <div className={styles.inside}>{children()}</div>}
    </details>
  );
}
