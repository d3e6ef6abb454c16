import { type ReactNode, useState } from 'react';
import type { FieldProblem } from '../../../api/problem.js';
import type { Json } from '../json-diff.js';
import { type JsonObject, valueAt, withValueAt } from './at-path.js';
import { ControlInput } from './ControlInput.js';
import { CONTROL_GROUPS } from './fields.js';
import own from './Controls.module.css';
import styles from '../parts.module.css';

interface Props {
  readonly settings: JsonObject;
  readonly problems: readonly FieldProblem[];
  readonly mayChange: boolean;
  readonly onChange: (settings: JsonObject) => void;
}

export function ControlsForm({ settings, problems, mayChange, onChange }: Props) {
  const paths = CONTROL_GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path));
  const isOf = (field: string, path: string) =>
    field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
  const rest = problems.filter(({ field }) => !paths.some((path) => isOf(field, path)));
  const problemAt = (path: string) =>
    problems
      .filter(({ field }) => isOf(field, path))
      .map(({ field, message }) => (field === path ? message : `${field} ${message}`))
      .join('; ') || undefined;
  const set = (path: string, value: Json | undefined) => onChange(withValueAt(settings, path, value));
  return (
    <div className={own.groups}>
      {rest.map(({ field, message }) => (
        <p key={field} className={styles.problem} role="alert">
          {field} {message}
        </p>
      ))}
      {CONTROL_GROUPS.map(({ name, fields }) => {
        const count = fields.filter(({ path }) => valueAt(settings, path) !== undefined).length;
        const hasProblem = fields.some(({ path }) => problemAt(path) !== undefined);
        return (
          <ControlGroupFields key={name} name={name} count={count} hasProblem={hasProblem}>
            {fields.map((field) => (
              <ControlInput
                key={field.path}
                field={field}
                value={valueAt(settings, field.path)}
                problem={problemAt(field.path)}
                mayChange={mayChange}
                onChange={(value) => set(field.path, value)}
              />
            ))}
          </ControlGroupFields>
        );
      })}
    </div>
  );
}

interface GroupProps {
  readonly name: string;
  readonly count: number;
  readonly hasProblem: boolean;
  readonly children: ReactNode;
}

/** Open at first when something is set; it does not close under somebody who empties its last field. */
function ControlGroupFields({ name, count, hasProblem, children }: GroupProps) {
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <details
      className={own.group}
      open={isOpen || hasProblem}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h3>{name}</h3>
        <span>{count === 0 ? 'nothing set' : `${count} set`}</span>
      </summary>
      <div className={own.fields}>{children}</div>
    </details>
  );
}
