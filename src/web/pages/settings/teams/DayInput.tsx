import styles from './Teams.module.css';

interface Props {
  readonly name: string;
  readonly value: string;
  readonly mayChange: boolean;
  readonly onChange: (day: string) => void;
}

/** A day in a row; empty: open. */
export function DayInput({ name, value, mayChange, onChange }: Props) {
  if (!mayChange) return value || '–';
  return (
    <input
      type="date"
      className={styles.day}
      aria-label={name}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
