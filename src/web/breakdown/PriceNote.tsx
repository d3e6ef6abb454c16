import { Link } from '@tanstack/react-router';
import { whole } from '../format.js';
import styles from './PriceNote.module.css';

interface Props {
  readonly meta: { readonly unpriced_tokens?: number; readonly unpriced_models?: readonly string[] };
}

/** What an estimated amount leaves out. */
export function PriceNote({ meta: { unpriced_tokens: tokens = 0, unpriced_models: models = [] } }: Props) {
  return (
    <p className={styles.note}>
      Estimated from list prices, no invoice.
      {tokens > 0 && (
        <>
          {' '}
          {whole(tokens)} tokens are not in it, because these models have no price: {models.join(', ')}.{' '}
          <Link to="/settings/$section" params={{ section: 'prices' }}>
            Prices
          </Link>
        </>
      )}
    </p>
  );
}
