import { useId } from 'react';
import { useModels } from '../../api/sessions.js';
import { SelectField, TextField } from '../../ui/Field.js';

interface Props {
  readonly value: string;
  readonly problem?: string;
  readonly onChange: (model: string) => void;
}

/** A model that the organization allows; where it allows any, also one that nobody has used yet. */
export function ModelField({ value, problem, onChange }: Props) {
  const { data: known } = useModels();
  const list = useId();
  const byDefault = known?.defaultModel ? `the default: ${known.defaultModel}` : 'chosen by the agent';
  if (known?.complete) {
    const names = known.models.map(({ id, displayName }) => [id, displayName ?? id] as const);
    return (
      <SelectField
        label="Model"
        {...{ value, problem }}
        options={{ '': byDefault, ...Object.fromEntries(names), ...(value === '' ? {} : { [value]: value }) }}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <>
      <TextField
        label="Model"
        hint="Leave it empty for the default."
        {...{ value, problem, list }}
        placeholder={byDefault}
        maxLength={200}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={list}>
        {known?.models.map(({ id, displayName }) => (
          <option key={id} value={id}>
            {displayName}
          </option>
        ))}
      </datalist>
    </>
  );
}
