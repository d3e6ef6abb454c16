import type { Price } from '../../../api/prices.js';
import { Button } from '../../../ui/Button.js';
import type { Column } from '../../../ui/column.js';
import { DataTable } from '../../../ui/DataTable.js';
import { cacheRates, inForce, isFactor, titleOf } from './price-rows.js';
import styles from '../parts.module.css';

interface Props {
  readonly prices: readonly Price[];
  readonly wrong: ReadonlyMap<number, string>;
  readonly onEdit: (place: number, price: Price) => void;
  readonly onChange: (prices: readonly Price[]) => void;
}

interface Row {
  readonly place: number;
  readonly price: Price;
}

export function PricesTable({ prices, wrong, onEdit, onChange }: Props) {
  if (prices.length === 0) return <p className={styles.note}>No own prices: the list prices count.</p>;
  const columns: Column<Row>[] = [
    {
      name: 'For',
      show: ({ place, price }) => (
        <>
          <span className={styles.who}>
            {titleOf(price)}
            <span>{extrasOf(price)}</span>
          </span>
          {wrong.has(place) && (
            <p className={styles.problem} role="alert">
              {wrong.get(place)}
            </p>
          )}
        </>
      ),
    },
    { name: 'Input', isNumber: true, show: ({ price }) => price.input ?? '–' },
    { name: 'Output', isNumber: true, show: ({ price }) => price.output ?? '–' },
    { name: 'Cache read / write / 1 h', isNumber: true, show: ({ price }) => cacheRates(price) },
    {
      name: 'Change',
      isNumber: true,
      show: ({ place, price }) => (
        <span className={styles.rowActions}>
          <Button aria-label={`Edit ${titleOf(price)}`} onClick={() => onEdit(place, price)}>
            Edit
          </Button>
          <Button
            aria-label={`Take out ${titleOf(price)}`}
            onClick={() => onChange(prices.filter((_, i) => i !== place))}
          >
            Take out
          </Button>
        </span>
      ),
    },
  ];
  const rows = prices.map((price, place) => ({ place, price }));
  return <DataTable caption="Own prices" columns={columns} rows={rows} keyOf={({ place }) => String(place)} />;
}

/** What has no column. */
function extrasOf(price: Price): string {
  const parts = [
    `since ${inForce(price)}`,
    !isFactor(price) && price.provider,
    price.tiers?.length && `${price.tiers.length} tiers by size`,
    price.windows?.length && `${price.windows.length} times with other prices`,
    price.promotional && 'temporary',
  ];
  return parts.filter(Boolean).join(', ');
}
