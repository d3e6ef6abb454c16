import { useState } from 'react';
import type { PriceInEffect } from '../../../api/prices.js';
import { Button } from '../../../ui/Button.js';
import { DataTable } from '../../../ui/DataTable.js';
import { TextField } from '../../../ui/Field.js';
import { cacheRates, inForce } from './price-rows.js';
import styles from '../parts.module.css';

const LAYERS: Readonly<Record<string, string>> = {
  'built-in': 'list price',
  operator: 'of the operator',
  organization: 'own price',
};

const STEP = 25;

export function InEffectTable({ prices }: { prices: readonly PriceInEffect[] }) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(STEP);
  const found = prices.filter(({ model, provider = '' }) =>
    `${model} ${provider}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <div className={styles.form}>
      <div className={styles.filters}>
        <TextField
          type="search"
          label="Find a model"
          hint={`${found.length} of ${prices.length}`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <DataTable
        caption="Prices in force now, dollars per million tokens"
        rows={found.slice(0, shown)}
        keyOf={({ model, provider = '' }) => `${provider} ${model}`}
        columns={[
          {
            name: 'Model',
            show: ({ model, provider, layer }) => (
              <span className={styles.who}>
                {model}
                <span>{[provider, LAYERS[layer] ?? layer].filter(Boolean).join(', ')}</span>
              </span>
            ),
          },
          { name: 'In force', isNumber: true, show: inForce },
          { name: 'Input', isNumber: true, show: ({ input }) => input ?? '–' },
          { name: 'Output', isNumber: true, show: ({ output }) => output ?? '–' },
          { name: 'Cache read / write / 1 h', isNumber: true, show: cacheRates },
        ]}
      />
      {found.length > shown && (
        <div className={styles.actions}>
          <Button onClick={() => setShown(found.length)}>Show all {found.length}</Button>
        </div>
      )}
    </div>
  );
}
