import type { PricePreview } from '../../../api/prices.js';
import { compact, dollars } from '../../../format.js';
import { DataTable } from '../../../ui/DataTable.js';
import { changesOf, unpricedOf } from './price-rows.js';
import own from './Prices.module.css';
import styles from '../parts.module.css';

const signed = (amount: string) => (amount.startsWith('-') ? dollars(amount) : `+${dollars(amount)}`);

export function PreviewTable({ preview }: { preview: PricePreview }) {
  const rows = changesOf(preview);
  const unpriced = unpricedOf(preview);
  return (
    <div className={own.preview}>
      {rows.length === 0 ? (
        <p className={styles.note}>No figure of the past changes.</p>
      ) : (
        <>
          <p className={styles.note}>
            In all {dollars(preview.total.oldCost)} becomes {dollars(preview.total.newCost)} (
            {signed(preview.total.difference)}). Estimates from list prices, in {preview.currency}.
          </p>
          <DataTable
            caption="What would change by month and model"
            rows={rows}
            keyOf={({ month, model }) => `${month} ${model}`}
            columns={[
              { name: 'Month', show: ({ month }) => <span className={styles.nowrap}>{month}</span> },
              { name: 'Model', show: ({ model, approximate }) => `${model}${approximate ? ' (about)' : ''}` },
              { name: 'Now', isNumber: true, show: ({ oldCost }) => dollars(oldCost) },
              { name: 'Then', isNumber: true, show: ({ newCost }) => dollars(newCost) },
              { name: 'Difference', isNumber: true, show: ({ difference }) => signed(difference) },
            ]}
          />
        </>
      )}
      {unpriced.length > 0 && (
        <p className={styles.note}>
          Still without a price:{' '}
          {unpriced.map(({ model, tokens }) => `${model} (${compact(tokens)} tokens)`).join(', ')}.
        </p>
      )}
    </div>
  );
}
