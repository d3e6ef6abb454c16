import { useState } from 'react';
import { Button } from '../../ui/Button.js';
import styles from './Sessions.module.css';

/** Looks when somebody presses Enter: a search takes the service up to a second. */
export function SearchField({ value, onSearch }: { value: string; onSearch: (words: string) => void }) {
  const [typed, setTyped] = useState({ value, text: value });
  const text = typed.value === value ? typed.text : value; // the address has changed
  return (
    <form
      role="search"
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Search in your messages"
        placeholder="Search in your messages"
        maxLength={200}
        value={text}
        onChange={({ target }) => setTyped({ value, text: target.value })}
      />
      <Button type="submit">Search</Button>
      {value !== '' && <Button onClick={() => onSearch('')}>Clear</Button>}
    </form>
  );
}
