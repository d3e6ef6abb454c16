import { useState } from 'react';
import type { Price, Prices } from '../../../api/prices.js';
import type { FieldProblem } from '../../../api/problem.js';
import { utcToday } from '../../../shell/search.js';
import { Button } from '../../../ui/Button.js';
import { Choice } from '../../../ui/Choice.js';
import { isSame, type Json } from '../json-diff.js';
import { PriceForm } from './PriceForm.js';
import { problemsByRow } from './price-rows.js';
import { PricesJson } from './PricesJson.js';
import { PricesTable } from './PricesTable.js';
import { ReviewPrices } from './ReviewPrices.js';
import { Unpriced } from './Unpriced.js';
import styles from '../parts.module.css';

const VIEWS = { rows: 'Rows', json: 'JSON' } as const;
const NEW = -1;

interface Edited {
  /** In the list; NEW: not in it yet. */
  readonly place: number;
  readonly price: Price;
}

/** Prices are changed here, previewed, and saved together. */
export function PricesEditor({ saved }: { saved: Prices }) {
  const [draft, setDraft] = useState<readonly Price[]>(saved.prices);
  const [view, setView] = useState<keyof typeof VIEWS>('rows');
  const [edited, setEdited] = useState<Edited | null>(null);
  const [isReviewed, setReviewed] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const wrong = problemsByRow(problems);
  const isChanged = !isSame(draft as unknown as Json, saved.prices as unknown as Json);
  const change = (next: readonly Price[]) => {
    setDraft(next);
    setProblems([]);
  };
  const add = (price: Price) => setEdited({ place: NEW, price });
  const keep = (price: Price) => {
    if (edited)
      change(edited.place === NEW ? [...draft, price] : draft.map((old, i) => (i === edited.place ? price : old)));
    setEdited(null);
  };
  return (
    <div className={styles.form}>
      <p className={styles.note}>
        Dollars per million tokens, or a factor on all list prices of a provider. Cost is computed when it is read: a
        price counts from its first day on, also in the past.
      </p>
      <Unpriced saved={saved} onAdd={(model) => add({ model, since: `${utcToday().slice(0, 4)}-01-01` })} />
      <div className={styles.actions}>
        <Choice name="Edit as" value={view} options={VIEWS} onChoose={setView} />
        <Button onClick={() => add({ model: '', since: utcToday() })}>Add a price</Button>
        <Button onClick={() => add({ provider: '', factor: '1', since: utcToday() })}>Add a factor</Button>
      </div>
      {view === 'rows' ? (
        <PricesTable
          prices={draft}
          wrong={wrong}
          onEdit={(place, price) => setEdited({ place, price })}
          onChange={change}
        />
      ) : (
        <PricesJson prices={draft} onChange={change} />
      )}
      {wrong.has(NEW) && (
        <p className={styles.problem} role="alert">
          {wrong.get(NEW)}
        </p>
      )}
      <div className={styles.end}>
        <Button disabled={!isChanged} onClick={() => change(saved.prices)}>
          Discard
        </Button>
        <Button kind="primary" disabled={!isChanged} onClick={() => setReviewed(true)}>
          Preview and save
        </Button>
      </div>
      {edited && <PriceForm price={edited.price} onKeep={keep} onClose={() => setEdited(null)} />}
      {isReviewed && (
        <ReviewPrices saved={saved} prices={draft} onClose={() => setReviewed(false)} onRefused={setProblems} />
      )}
    </div>
  );
}
