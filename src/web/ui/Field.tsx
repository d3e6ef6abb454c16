import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import styles from './Field.module.css';

interface Around {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

function Labelled({ label, hint, problem, control }: Around & { control: (props: Described) => ReactNode }) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {control({
        id,
        ...(note ? { 'aria-describedby': `${id}-note` } : {}),
        ...(problem ? { 'aria-invalid': true as const } : {}),
      })}
      {note && (
        <div id={`${id}-note`} className={problem ? styles.problem : styles.hint}>
          {note}
        </div>
      )}
    </div>
  );
}

export function TextField({ label, hint, problem, ...input }: Around & InputHTMLAttributes<HTMLInputElement>) {
  return <Labelled {...{ label, hint, problem }} control={(props) => <input {...input} {...props} />} />;
}

export function TextArea({ label, hint, problem, ...area }: Around & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <Labelled {...{ label, hint, problem }} control={(props) => <textarea {...area} {...props} />} />;
}

interface SelectProps extends Around, Omit<SelectHTMLAttributes<HTMLSelectElement>, 'children'> {
  /** By value. */
  readonly options: Readonly<Record<string, string>>;
}

export function SelectField({ label, hint, problem, options, ...select }: SelectProps) {
  return (
    <Labelled
      {...{ label, hint, problem }}
      control={(props) => (
        <select {...select} {...props}>
          {Object.entries(options).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function CheckField({ label, hint, ...input }: Omit<Around, 'problem'> & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input {...input} type="checkbox" id={id} {...(hint ? { 'aria-describedby': `${id}-note` } : {})} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <div id={`${id}-note`} className={styles.hint}>
          {hint}
        </div>
      )}
    </div>
  );
}
