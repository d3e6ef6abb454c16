import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../../api/client.js';
import type { Price } from '../../../api/prices.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Dialog } from '../../../ui/Dialog.js';
import { DiffView } from '../DiffView.js';
import { type Json, jsonDiff } from '../json-diff.js';
import styles from '../parts.module.css';

interface Props {
  readonly prices: readonly Price[];
  readonly isSaving: boolean;
  readonly onSaveMine: (revision: number) => void;
  readonly onClose: () => void;
}

/** Somebody else saved prices meanwhile: theirs against mine, and a choice. */
export function PricesConflict({ prices, isSaving, onSaveMine, onClose }: Props) {
  const queries = useQueryClient();
  const theirs = useQuery({
    queryKey: ['prices', 'theirs'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/organization/prices', { signal })),
    staleTime: 0,
  });
  const keepTheirs = () => {
    onClose();
    void queries.invalidateQueries({ queryKey: ['prices'] });
  };
  return (
    <Dialog key="conflict" title="Somebody else was quicker" onClose={onClose}>
      <Asked query={theirs}>
        {(answer) => (
          <>
            <p className={styles.note}>
              Revision {answer.revision} was saved meanwhile. From theirs (−) to yours (+); nothing of yours is saved
              yet.
            </p>
            <DiffView
              differences={jsonDiff(answer.prices as unknown as Json, prices as unknown as Json)}
              names={['theirs', 'mine']}
            />
            <div className={styles.end}>
              <Button onClick={onClose}>Go on editing</Button>
              <Button onClick={keepTheirs}>Keep theirs, discard mine</Button>
              <Button kind="danger" disabled={isSaving} onClick={() => onSaveMine(answer.revision)}>
                Save mine over theirs
              </Button>
            </div>
          </>
        )}
      </Asked>
    </Dialog>
  );
}
