import { useState } from 'react';
import type { Price } from '../../../api/prices.js';
import { TextArea } from '../../../ui/Field.js';
import { readJson } from '../controls/typed-value.js';

interface Props {
  readonly prices: readonly Price[];
  readonly onChange: (prices: readonly Price[]) => void;
}

/** The whole list as the API has it, with tiers and times. */
export function PricesJson({ prices, onChange }: Props) {
  const [text, setText] = useState(() => JSON.stringify(prices, null, 2));
  const { value, problem } = readJson(text);
  const type = (next: string) => {
    setText(next);
    const typed = readJson(next).value;
    if (Array.isArray(typed)) onChange(typed as unknown as Price[]);
  };
  return (
    <TextArea
      label="Prices as JSON"
      hint="With tiers by size and times with other prices, as the API reference describes them."
      problem={problem ?? (Array.isArray(value) ? undefined : 'must be a list')}
      rows={Math.min(Math.max(text.split('\n').length + 1, 10), 30)}
      spellCheck={false}
      value={text}
      onChange={({ target }) => type(target.value)}
    />
  );
}
