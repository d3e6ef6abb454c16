import styles from './Readiness.module.css';

const LEVELS = [1, 2, 3, 4, 5];

/** One of five levels, with its name. */
export function Level({ level, name }: { level: number; name: string }) {
  return (
    <span className={styles.level}>
      <span className={styles.steps} aria-hidden="true">
        {LEVELS.map((step) => (
          <span key={step} className={step <= level ? styles.reached : undefined} />
        ))}
      </span>
      {level} {name}
    </span>
  );
}
