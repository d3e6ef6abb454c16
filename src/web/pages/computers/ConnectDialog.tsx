import { type SubmitEvent, useState } from 'react';
import { type Computer, useComputerToken, useRegisterComputer } from '../../api/computers.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { TextField } from '../../ui/Field.js';
import { ConnectSteps } from './ConnectSteps.js';
import styles from './Computers.module.css';

interface Props {
  /** Absent: it has to be registered first. */
  readonly computer: Computer | undefined;
  readonly onRegistered: (computer: Computer) => void;
  readonly onClose: () => void;
}

/** Registers a machine, shows its command, and waits for its agent. */
export function ConnectDialog({ computer, onRegistered, onClose }: Props) {
  const [token, setToken] = useState<string>();
  const make = useComputerToken(setToken);
  const begin = (registered: Computer) => {
    make.mutate(registered.id);
    onRegistered(registered);
  };
  return (
    <Dialog title={computer ? `Connect ${computer.name}` : 'Connect a computer'} onClose={onClose}>
      {computer ? (
        <ConnectSteps
          computer={computer}
          token={token}
          isMaking={make.isPending}
          onToken={() => make.mutate(computer.id)}
        />
      ) : (
        <NameForm onRegistered={begin} onClose={onClose} />
      )}
      {computer && (
        <div className={styles.row}>
          <Button onClick={onClose}>Close</Button>
        </div>
      )}
    </Dialog>
  );
}

function NameForm({ onRegistered, onClose }: Pick<Props, 'onRegistered' | 'onClose'>) {
  const [problem, setProblem] = useState<string>();
  const register = useRegisterComputer(onRegistered, ({ status, detail }) => {
    if (status !== 400 && status !== 409) return false;
    setProblem(detail);
    return true;
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('name');
    if (typeof name === 'string' && name.trim() !== '') register.mutate(name.trim());
    else setProblem('Give it a name.');
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        autoFocus
        maxLength={63}
        autoComplete="off"
        placeholder="my-laptop"
        hint="How it is called in lists. It is private to you until you share it."
        problem={problem}
      />
      <div className={styles.row}>
        <Button kind="primary" type="submit" disabled={register.isPending}>
          Go on
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
