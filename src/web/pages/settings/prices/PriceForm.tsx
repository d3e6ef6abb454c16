import { type FormEvent, useState } from 'react';
import type { Price } from '../../../api/prices.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { TextField } from '../../../ui/Field.js';
import { isFactor, RATE_NAMES, RATES } from './price-rows.js';
import styles from '../parts.module.css';

interface Props {
  readonly price: Price;
  readonly onKeep: (price: Price) => void;
  readonly onClose: () => void;
}

const AMOUNT = '(0|[1-9][0-9]{0,5})(\\.[0-9]{1,6})?';

/** One price or factor. Tiers and times stay as they are; they are edited as JSON. */
export function PriceForm({ price: first, onKeep, onClose }: Props) {
  const [price, setPrice] = useState(first);
  const hasFactor = isFactor(first);
  const text = (name: keyof Price) => (typeof price[name] === 'string' ? (price[name] as string) : '');
  const set = (name: keyof Price, value: string) => setPrice({ ...price, [name]: value });
  const field = (name: keyof Price, label: string, more: object = {}) => (
    <TextField
      key={name}
      label={label}
      value={text(name)}
      onChange={({ target }) => set(name, target.value)}
      {...more}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const entries = Object.entries(price).filter(([, value]) => value !== '');
    onKeep(Object.fromEntries(entries) as unknown as Price);
  };
  return (
    <Dialog title={hasFactor ? 'Factor on list prices' : 'Price of a model'} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {!hasFactor &&
          field('model', 'Model', { required: true, autoFocus: !first.model, hint: 'Its id, as agents send it.' })}
        {field('provider', hasFactor ? 'Provider or channel' : 'Provider (optional)', {
          required: hasFactor,
          autoFocus: hasFactor,
          hint: hasFactor ? 'Such as anthropic, or a channel: azure, bedrock, vertex, openrouter …' : undefined,
        })}
        <div className={styles.filters}>
          {field('since', 'Since (day, UTC)', { required: true, placeholder: '2026-01-01' })}
          {field('until', 'Until, excluded (optional)', { placeholder: 'open' })}
        </div>
        {hasFactor ? (
          field('factor', 'Factor', {
            required: true,
            pattern: AMOUNT,
            inputMode: 'decimal',
            hint: '0.9 is ten percent off.',
          })
        ) : (
          <div className={styles.filters}>
            {RATE_NAMES.map((rate) =>
              field(rate, RATES[rate], {
                pattern: AMOUNT,
                inputMode: 'decimal',
                autoFocus: rate === 'input' && Boolean(first.model),
              }),
            )}
          </div>
        )}
        <div className={styles.end}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Keep
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
