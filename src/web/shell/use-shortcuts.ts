import { useEffect, useState } from 'react';

const SEQUENCE_MS = 1_000;
const OFF_KEY = 'single-keys-off';

/** Whether single keys are shortcuts; the palette's Ctrl K always is one. */
export function useSingleKeys(): [boolean, (areOn: boolean) => void] {
  const [areOn, setOn] = useState(() => localStorage.getItem(OFF_KEY) === null);
  return [
    areOn,
    (next) => {
      if (next) localStorage.removeItem(OFF_KEY);
      else localStorage.setItem(OFF_KEY, 'true');
      setOn(next);
    },
  ];
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Single keys and sequences such as `g u`; none while somebody types, with a modifier, or under a dialog. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    let first: { key: string; atMs: number } | null = null;
    const listen = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'k' && (event.metaKey || event.ctrlKey) && shortcuts['mod+k']) {
        event.preventDefault();
        shortcuts['mod+k']();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (localStorage.getItem(OFF_KEY) !== null) return;
      const before = first && performance.now() - first.atMs < SEQUENCE_MS ? `${first.key} ` : '';
      const action = shortcuts[before + event.key] ?? shortcuts[event.key];
      first = { key: event.key, atMs: performance.now() };
      if (!action) return;
      event.preventDefault();
      first = null;
      action();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [shortcuts]);
}
