import { useState } from 'react';
import { Button } from '../../../ui/Button.js';
import { CheckField } from '../../../ui/Field.js';
import { readLimit } from './limit-text.js';
import { LimitInput } from './LimitInput.js';
import styles from '../parts.module.css';

interface Props {
  readonly count: number;
  readonly areAllChosen: boolean;
  readonly onChooseAll: (isAll: boolean) => void;
  readonly onApply: (text: string) => void;
}

/** One limit for everybody who is chosen; nothing is saved yet. */
export function BulkLimit({ count, areAllChosen, onChooseAll, onApply }: Props) {
  const [text, setText] = useState('');
  const read = readLimit(text);
  return (
    <div className={styles.actions}>
      <CheckField
        label="Choose everybody shown"
        checked={areAllChosen}
        onChange={({ target }) => onChooseAll(target.checked)}
      />
      {count > 0 && (
        <>
          <LimitInput
            name={`Limit of the ${count} chosen`}
            value={text}
            problem={'problem' in read ? read.problem : undefined}
            onChange={setText}
          />
          <Button disabled={'problem' in read} onClick={() => onApply(text)}>
            Fill in for {count}
          </Button>
        </>
      )}
    </div>
  );
}
