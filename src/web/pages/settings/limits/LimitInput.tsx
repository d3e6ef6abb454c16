import { useId } from 'react';
import styles from './Limits.module.css';

interface Props {
  readonly name: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

export function LimitInput({ name, value, problem, onChange }: Props) {
  const id = useId();
  return (
    <span className={styles.limit}>
      <input
        inputMode="numeric"
        aria-label={name}
        placeholder="no limit"
        value={value}
        {...(problem ? { 'aria-invalid': true, 'aria-describedby': id } : {})}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem && <span id={id}>{problem}</span>}
    </span>
  );
}
