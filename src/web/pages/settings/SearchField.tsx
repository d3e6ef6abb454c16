import { useEffect, useRef, useState } from 'react';
import { TextField } from '../../ui/Field.js';

const PAUSE_MS = 250;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (text: string) => void;
}

/** A filter that is typed: the address follows when the typing pauses. */
export function SearchField({ label, value, placeholder, onChange }: Props) {
  const [text, setText] = useState(value);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <TextField
      type="search"
      label={label}
      value={text}
      placeholder={placeholder}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
