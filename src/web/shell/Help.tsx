import { Dialog } from '../ui/Dialog.js';
import { CheckField } from '../ui/Field.js';
import type { ConsolePage } from './pages.js';
import { useSingleKeys } from './use-shortcuts.js';
import styles from './Help.module.css';

export function Help({ pages, onClose }: { pages: readonly ConsolePage[]; onClose: () => void }) {
  const [areOn, setOn] = useSingleKeys();
  const rows: [string, string][] = [
    ['Ctrl K or /', 'Find a page, person, session …'],
    ['[ and ]', 'One period back, forward'],
    ['x', 'Comparison on or off'],
    ...pages.map(({ key, name }): [string, string] => [`g ${key}`, name]),
    ['?', 'This list'],
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles.keys}>
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Single keys are shortcuts"
        hint="Switch off if your keyboard or voice input sets them off by accident. Ctrl K stays."
        checked={areOn}
        onChange={({ target }) => setOn(target.checked)}
      />
    </Dialog>
  );
}
