import type { Difference, Json } from './json-diff.js';
import styles from './DiffView.module.css';

interface Props {
  readonly differences: readonly Difference[];
  /** What the two sides are called. */
  readonly names?: readonly [string, string];
}

const plain = (value: Json | undefined) =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1);

/** Each difference with both sides; a sign and a word say which is which, the colour only helps. */
export function DiffView({ differences, names = ['before', 'after'] }: Props) {
  if (differences.length === 0) return <p className={styles.same}>No difference.</p>;
  return (
    <dl className={styles.diff}>
      {differences.map(({ path, before, after }, i) => (
        <div key={`${path} ${i}`}>
          <dt>{path || 'all of it'}</dt>
          {before !== undefined && (
            <dd className={styles.removed}>
              <span aria-hidden="true">−</span>
              <span className="visually-hidden">{names[0]}: </span>
              {plain(before)}
            </dd>
          )}
          {after !== undefined && (
            <dd className={styles.added}>
              <span aria-hidden="true">+</span>
              <span className="visually-hidden">{names[1]}: </span>
              {plain(after)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
