import { useId } from 'react';
import styles from './Choice.module.css';

interface Props<Key extends string> {
  readonly name: string;
  readonly value: Key;
  readonly options: Readonly<Partial<Record<Key, string>>>;
  readonly onChoose: (key: Key) => void;
}

/** One of a few: radio buttons that look like a row of tabs. */
export function Choice<Key extends string>({ name, value, options, onChoose }: Props<Key>) {
  const group = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{name}</legend>
      {(Object.entries(options) as [Key, string][]).map(([key, label]) => (
        <label key={key} className={key === value ? styles.chosen : styles.option}>
          <input
            type="radio"
            className="visually-hidden"
            name={group}
            checked={key === value}
            onChange={() => onChoose(key)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
