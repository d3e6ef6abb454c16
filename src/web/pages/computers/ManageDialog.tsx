import { type SubmitEvent, useState } from 'react';
import {
  type Computer,
  type Presence,
  useChangeAccess,
  useComputerToken,
  useDeleteComputer,
  usePresence,
  useRenameComputer,
} from '../../api/computers.js';
import { useMe } from '../../api/me.js';
import { Button } from '../../ui/Button.js';
import { CopyBlock } from '../../ui/CopyBlock.js';
import { Dialog } from '../../ui/Dialog.js';
import { CheckField, SelectField, TextField } from '../../ui/Field.js';
import { PersonName } from './PersonName.js';
import { type Rights, rightsOn } from './rights.js';
import styles from './Computers.module.css';

/** Everything that may be changed about a computer; what the reader's role does not allow is left out. */
export function ManageDialog({ computer, onClose }: { computer: Computer; onClose: () => void }) {
  const me = useMe().data;
  const presence = usePresence().data?.find(({ computerId }) => computerId === computer.id);
  if (!me || !presence) return null;
  const rights = rightsOn(presence, { role: me.role, userId: me.user.id });
  return (
    <Dialog title={computer.name} onClose={onClose}>
      <p className={styles.note}>
        Registered by <PersonName userId={presence.registeredBy} />. Only they connect its agent.
      </p>
      {rights.canChange && <Rename computer={computer} />}
      <Access presence={presence} rights={rights} meId={me.user.id} />
      {rights.isMine && <Token computerId={computer.id} />}
      {rights.canChange && <Delete computer={computer} onDone={onClose} />}
      {!rights.canChange && !rights.canShare && <p>Owners, managers and whoever registered it may change it.</p>}
      <div className={styles.row}>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function Rename({ computer: { id, name } }: { computer: Computer }) {
  const rename = useRenameComputer(id);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = new FormData(event.currentTarget).get('name');
    if (typeof next === 'string' && next !== name) rename.mutate(next);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField label="Name" name="name" defaultValue={name} required maxLength={63} autoComplete="off" />
      <div className={styles.row}>
        <Button type="submit" disabled={rename.isPending}>
          Rename
        </Button>
      </div>
    </form>
  );
}

const ACCESS = { private: 'Only who registered it', organization: 'Everybody in the organization' };

function Access({ presence, rights, meId }: { presence: Presence; rights: Rights; meId: string }) {
  const change = useChangeAccess(presence.computerId, 'Changed.');
  const { access, trusted } = { ...presence, ...(change.isPending ? change.variables : {}) };
  if (!rights.canShare) return null;
  return (
    <div className={styles.section}>
      <SelectField
        label="Who runs sessions there"
        value={access}
        options={ACCESS}
        disabled={change.isPending}
        hint="The agent client has to agree: it is started with --allow organization. Made private again, what others have queued there ends with an error."
        onChange={({ target }) => change.mutate({ access: target.value as keyof typeof ACCESS })}
      />
      {rights.isOwner && (
        <CheckField
          label="Trusted with secrets"
          hint="Literal keys and passwords of the controls travel to it."
          checked={trusted}
          disabled={change.isPending}
          onChange={({ target }) => change.mutate({ trusted: target.checked })}
        />
      )}
      {rights.isOwner && !rights.isMine && (
        <div className={styles.form}>
          <p className={styles.note}>
            Taking it over makes it yours. Its token and the connection of its agent end; connect it again as yourself.
          </p>
          <div className={styles.row}>
            <Button onClick={() => change.mutate({ registeredBy: meId })} disabled={change.isPending}>
              Take over
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

function Token({ computerId }: { computerId: string }) {
  const [token, setToken] = useState<string>();
  const make = useComputerToken(setToken);
  return (
    <div className={styles.section}>
      <p>A token lets a machine be this computer, and nothing else. A new one ends the one before.</p>
      {token === undefined ? (
        <div className={styles.row}>
          <Button onClick={() => make.mutate(computerId)} disabled={make.isPending}>
            New token
          </Button>
        </div>
      ) : (
        <>
          <CopyBlock label="Computer token" text={token} />
          <p className={styles.note}>It is shown only now.</p>
        </>
      )}
    </div>
  );
}

function Delete({ computer, onDone }: { computer: Computer; onDone: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const remove = useDeleteComputer(computer.id, onDone);
  return (
    <div className={styles.section}>
      {isAsked && <p>Delete it? Its sessions stay; messages that wait for it end with an error.</p>}
      <div className={styles.row}>
        {isAsked ? (
          <>
            <Button kind="danger" onClick={() => remove.mutate()} disabled={remove.isPending}>
              Delete {computer.name}
            </Button>
            <Button onClick={() => setAsked(false)}>Keep it</Button>
          </>
        ) : (
          <Button kind="danger" onClick={() => setAsked(true)}>
            Delete …
          </Button>
        )}
      </div>
    </div>
  );
}
