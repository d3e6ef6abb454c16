import { useState } from 'react';
import { useAction } from '../../../api/action.js';
import { type Price, type Prices, savePrices, usePreview } from '../../../api/prices.js';
import { type FieldProblem, Problem } from '../../../api/problem.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { PreviewTable } from './PreviewTable.js';
import { PricesConflict } from './PricesConflict.js';
import styles from '../parts.module.css';

interface Props {
  readonly saved: Prices;
  readonly prices: readonly Price[];
  readonly onClose: () => void;
  readonly onRefused: (problems: readonly FieldProblem[]) => void;
}

/** What the prices would change, by month and model; then they are saved. */
export function ReviewPrices({ saved, prices, onClose, onRefused }: Props) {
  const preview = usePreview(prices, saved.revision, true);
  const [isConflict, setConflict] = useState(false);
  const refuse = (errors: readonly FieldProblem[]) => {
    onRefused(errors);
    onClose();
  };
  const action = useAction({
    run: (revision: number) => savePrices(prices, revision),
    changes: ['prices', 'summary', 'breakdown', 'today', 'person', 'my-usage'],
    done: 'Saved. Figures use these prices from now on; the change is in the audit log.',
    onDone: onClose,
    onProblem: ({ status, errors }) => {
      if (status === 412) setConflict(true);
      else if (status === 400 && errors.length > 0) refuse(errors);
      else return false;
      return true;
    },
  });
  if (isConflict)
    return <PricesConflict prices={prices} isSaving={action.isPending} onSaveMine={action.mutate} onClose={onClose} />;
  const errors = preview.error instanceof Problem ? preview.error.errors : [];
  return (
    <Dialog title="What would change" onClose={onClose}>
      {errors.length > 0 ? (
        <div role="alert">
          {errors.map(({ field, message }) => (
            <p key={field} className={styles.problem}>
              {field} {message}
            </p>
          ))}
        </div>
      ) : (
        <Asked query={preview}>{(answer) => <PreviewTable preview={answer} />}</Asked>
      )}
      <div className={styles.end}>
        <Button onClick={errors.length > 0 ? () => refuse(errors) : onClose}>Back</Button>
        <Button
          kind="primary"
          disabled={!preview.data || preview.isPlaceholderData || action.isPending}
          onClick={() => action.mutate(saved.revision)}
        >
          Save these prices
        </Button>
      </div>
    </Dialog>
  );
}
