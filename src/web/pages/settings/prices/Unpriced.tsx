import { type Prices, usePreview } from '../../../api/prices.js';
import { compact } from '../../../format.js';
import { Button } from '../../../ui/Button.js';
import { unpricedOf } from './price-rows.js';
import own from './Prices.module.css';

/** Models that were used and have no price: their cost is unknown, not nothing. */
export function Unpriced({ saved, onAdd }: { saved: Prices; onAdd: (model: string) => void }) {
  const preview = usePreview(saved.prices, saved.revision, true).data;
  const models = preview ? unpricedOf(preview) : [];
  if (models.length === 0) return null;
  return (
    <section className={own.unpriced} aria-label="Models without a price">
      <strong>{models.length === 1 ? 'One model has' : `${models.length} models have`} no price</strong>
      <ul>
        {models.map(({ model, tokens }) => (
          <li key={model}>
            <span>
              {model} <span className={own.tokens}>{compact(tokens)} tokens</span>
            </span>
            <Button aria-label={`Add a price of ${model}`} onClick={() => onAdd(model)}>
              Add a price
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
