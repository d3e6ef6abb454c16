import { useSyncExternalStore } from 'react';
import styles from './Toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const SHOWN_MS = 6_000;

let toasts: readonly Toast[] = [];
let nextId = 0;
const followers = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const follow of followers) follow();
}

/** Says what happened, for a moment, wherever the reader is. */
export function say(text: string, { isProblem = false } = {}): void {
  const id = nextId++;
  change([...toasts, { id, text, isProblem }]);
  setTimeout(() => change(toasts.filter((toast) => toast.id !== id)), SHOWN_MS);
}

function follow(follower: () => void): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

export function Toasts() {
  const shown = useSyncExternalStore(follow, () => toasts);
  return (
    <div className={styles.toasts} role="status">
      {shown.map(({ id, text, isProblem }) => (
        <div key={id} className={isProblem ? styles.problem : styles.toast}>
          {text}
        </div>
      ))}
    </div>
  );
}
