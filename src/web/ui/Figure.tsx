import { change as shownChange } from '../format.js';
import { Spark } from '../charts/Spark.js';
import styles from './Figure.module.css';

interface Props {
  readonly name: string;
  readonly value: string;
  /** What it counts, in one sentence. */
  readonly definition: string;
  /** Undefined: nothing is compared. */
  readonly change?: number | null;
  readonly spark?: readonly number[];
}

/** One number with its name, its meaning and how it changed. */
export function Figure({ name, value, definition, change, spark }: Props) {
  return (
    <div className={styles.figure} title={definition}>
      <div className={styles.name}>{name}</div>
      <div className={styles.value}>{value}</div>
      <div className={styles.foot}>
        {change !== undefined && (
          <span>
            {shownChange(change)}
            <span className="visually-hidden"> against the period before</span>
          </span>
        )}
        {spark && <Spark values={spark} />}
      </div>
      <span className="visually-hidden">{definition}</span>
    </div>
  );
}
