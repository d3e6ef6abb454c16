import { useState } from 'react';
import type { CreatedApiKey } from '../../../api/api-keys.js';
import { Button } from '../../../ui/Button.js';
import { CopyBlock } from '../../../ui/CopyBlock.js';
import { Dialog } from '../../../ui/Dialog.js';
import { ApiKeyForm } from './ApiKeyForm.js';
import styles from '../parts.module.css';

/** The form, then the key: it is shown once and is gone with the dialog. */
export function CreateApiKey({ isOwner, onClose }: { isOwner: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  if (!created) {
    return (
      <Dialog title="New API key" onClose={onClose}>
        <ApiKeyForm isOwner={isOwner} onCreated={setCreated} onCancel={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog key="created" title={`The key “${created.name}”`}>
      <p className={styles.note}>Copy it now: it is shown only here, and the service keeps no copy.</p>
      <CopyBlock text={created.key} label="API key" />
      <div className={styles.end}>
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
