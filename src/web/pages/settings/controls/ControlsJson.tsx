import { useEffect, useState } from 'react';
import { TextArea } from '../../../ui/Field.js';
import { isObject, isSame } from '../json-diff.js';
import type { JsonObject } from './at-path.js';
import { readJson } from './typed-value.js';
import own from './Controls.module.css';

interface Props {
  readonly settings: JsonObject;
  readonly mayChange: boolean;
  readonly onChange: (settings: JsonObject) => void;
}

const show = (settings: JsonObject) => JSON.stringify(settings, null, 2);

/** The same settings as the API has them; form and JSON follow each other. */
export function ControlsJson({ settings, mayChange, onChange }: Props) {
  const [text, setText] = useState(() => show(settings));
  const { value, problem } = readJson(text);
  useEffect(() => {
    setText((now) => (isSame(readJson(now).value, settings) ? now : show(settings)));
  }, [settings]);
  const type = (next: string) => {
    setText(next);
    const typed = readJson(next).value;
    if (isObject(typed)) onChange(typed);
  };
  return (
    <div className={own.json}>
      <TextArea
        label="As JSON"
        hint="Secrets are masked (****); a mask that is left as it is keeps its secret."
        problem={problem ?? (isObject(value) ? undefined : 'must be an object')}
        rows={Math.min(Math.max(text.split('\n').length + 1, 12), 40)}
        value={text}
        readOnly={!mayChange}
        spellCheck={false}
        onChange={({ target }) => type(target.value)}
      />
    </div>
  );
}
