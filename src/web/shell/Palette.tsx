import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useId, useState } from 'react';
import { Dialog } from '../ui/Dialog.js';
import { useFound } from './found.js';
import styles from './Palette.module.css';

export interface Command {
  /** Page, Action, Person … */
  readonly kind: string;
  readonly name: string;
  readonly run: () => void;
}

interface Props {
  readonly role: string;
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}

/** Finds pages, actions, people, sessions, computers and repositories; a list box below a text field, as ARIA describes it. */
export function Palette({ role, commands, onClose }: Props) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const things = useFound(role, useDeferredValue(text));
  const found = [...commands.filter(({ name }) => matches(name, text)), ...things];
  const at = Math.min(active, found.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive(Math.min(Math.max(at + step, 0), found.length - 1));
    } else if (event.key === 'Enter') run(found[at]);
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        autoFocus
        className={styles.field}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-label="Page, person, session …"
        {...(found[at] ? { 'aria-activedescendant': `${listId}-${at}` } : {})}
        placeholder="Page, person, session …"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {found.map((command, i) => (
          <li
            key={`${command.kind} ${i}`}
            id={`${listId}-${i}`}
            role="option"
            aria-selected={i === at}
            className={i === at ? styles.active : styles.option}
            onClick={() => run(command)}
          >
            <span>{command.name}</span>
            <span className={styles.kind}>{command.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">Nothing has that name.</p>}
    </Dialog>
  );
}

/** Every word is found somewhere in the name. */
export function matches(name: string, text: string): boolean {
  const within = name.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

export function usePageCommands(pages: readonly { path: string; name: string }[]): Command[] {
  const navigate = useNavigate();
  return pages.map(({ path, name }) => ({
    kind: 'Page',
    name,
    run: () => void navigate({ to: path, search: (now) => now }),
  }));
}
