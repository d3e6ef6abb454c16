import { compact, percent } from '../../../format.js';
import styles from './Limits.module.css';

interface Props {
  readonly used: number;
  readonly limit: number | null;
  readonly forecast: number | null;
}

/** How much of the limit is used; a mark shows where the month ends at this pace. */
export function UsedBar({ used, limit, forecast }: Props) {
  if (limit === null) return compact(used);
  const share = (value: number) => (limit === 0 ? 100 : Math.min((value / limit) * 100, 100));
  const tone = used >= limit ? styles.over : forecast !== null && forecast > limit ? styles.soon : styles.fine;
  return (
    <span className={styles.used}>
      <span>
        {compact(used)} of {compact(limit)}
        {limit > 0 && ` (${percent(used / limit)})`}
      </span>
      <svg className={tone} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="6" rx="1" className={styles.track} />
        <rect width={share(used)} height="6" rx="1" fill="currentColor" />
        {forecast !== null && (
          <rect x={Math.max(share(forecast) - 0.8, 0)} width="0.8" height="6" className={styles.mark} />
        )}
      </svg>
    </span>
  );
}
