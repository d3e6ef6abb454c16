import { useState } from 'react';
import type { PriceInEffect } from '../../../api/prices.js';
import { Badge } from '../../../ui/Badge.js';
import { DataTable } from '../../../ui/DataTable.js';
import { TextField } from '../../../ui/Field.js';
import { RATE_NAMES, RATES } from './price-rows.js';
import styles from '../parts.module.css';

const LAYERS: Readonly<Record<string, string>> = {
  'built-in': 'list price',
  operator: 'of the operator',
  organization: 'own',
};

export function InEffectTable({ prices }: { prices: readonly PriceInEffect[] }) {
  const [text, setText] = useState('');
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
        rows={found}
        keyOf={({ model, provider = '' }) => `${provider} ${model}`}
        columns={[
          {
            name: 'Model',
            show: ({ model, provider }) => (
              <span className={styles.who}>
                {model}
                <span>{provider}</span>
              </span>
            ),
          },
          {
            name: 'From',
            show: ({ layer }) =>
              layer === 'organization' ? <Badge tone="accent">own</Badge> : (LAYERS[layer] ?? layer),
          },
          { name: 'Since', show: ({ since }) => <span className={styles.nowrap}>{since ?? '–'}</span> },
          { name: 'Until', show: ({ until }) => <span className={styles.nowrap}>{until ?? 'open'}</span> },
          ...RATE_NAMES.map((rate) => ({
            name: RATES[rate],
            isNumber: true,
            show: (price: PriceInEffect) => price[rate] ?? '–',
          })),
        ]}
      />
    </div>
  );
}
