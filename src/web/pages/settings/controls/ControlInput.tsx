import { useEffect, useState } from 'react';
import { SelectField, TextArea, TextField } from '../../../ui/Field.js';
import { isSame, type Json } from '../json-diff.js';
import type { ControlField } from './field-kinds.js';
import { readTyped, showTyped } from './typed-value.js';
import own from './Controls.module.css';

interface Props {
  readonly field: ControlField;
  readonly value: Json | undefined;
  readonly problem: string | undefined;
  readonly mayChange: boolean;
  /** Undefined: not set. */
  readonly onChange: (value: Json | undefined) => void;
}

/** One field of the settings, by its kind. An empty field is not set. */
export function ControlInput(props: Props) {
  const { field, value, problem, mayChange, onChange } = props;
  const { label, hint } = field;
  if (field.kind === 'flag' || field.kind === 'choice') {
    const names =
      field.kind === 'choice'
        ? Object.fromEntries(field.options.map((option) => [option, option]))
        : { true: 'yes', false: 'no' };
    return (
      <SelectField
        {...{ label, hint, problem }}
        disabled={!mayChange}
        value={value === undefined || value === null ? '' : String(value)}
        options={{ '': 'not set', ...names }}
        onChange={({ target }) => onChange(readTyped(field, target.value).value)}
      />
    );
  }
  return <TypedInput {...props} />;
}

/** Typed text that may not be a value yet, such as half of a JSON object. */
function TypedInput({ field, value, problem, mayChange, onChange }: Props) {
  const [text, setText] = useState(() => showTyped(field, value));
  const read = readTyped(field, text);
  useEffect(() => {
    // The value was changed elsewhere, as JSON or by discarding.
    setText((now) => (isSame(readTyped(field, now).value, value) ? now : showTyped(field, value)));
  }, [field, value]);
  const type = (next: string) => {
    setText(next);
    const typed = readTyped(field, next);
    if (typed.problem === undefined) onChange(typed.value);
  };
  const { label, hint } = field;
  const shared = { label, hint, problem: read.problem ?? problem, value: text, disabled: !mayChange };
  if (field.kind === 'list' || field.kind === 'json') {
    const rows = Math.min(Math.max(text.split('\n').length, 2), 10);
    return (
      <div className={field.kind === 'json' ? own.wide : undefined}>
        <TextArea
          {...shared}
          hint={field.kind === 'list' ? `${hint} One per line.` : `${hint} As JSON.`}
          rows={rows}
          spellCheck={false}
          onChange={({ target }) => type(target.value)}
        />
      </div>
    );
  }
  return (
    <TextField
      {...shared}
      inputMode={field.kind === 'number' ? 'numeric' : 'text'}
      onChange={({ target }) => type(target.value)}
    />
  );
}
