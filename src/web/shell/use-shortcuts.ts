import { useEffect } from 'react';

const SEQUENCE_MS = 1_000;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Single keys and sequences such as `g u`; none while somebody types, or with a modifier. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    let first: { key: string; atMs: number } | null = null;
    const listen = (event: KeyboardEvent) => {
      const isPaletteKey = event.key === 'k' && (event.metaKey || event.ctrlKey);
      if (isPaletteKey && shortcuts['mod+k']) {
        event.preventDefault();
        shortcuts['mod+k']();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const before = first && performance.now() - first.atMs < SEQUENCE_MS ? `${first.key} ` : '';
      const action = shortcuts[before + event.key] ?? shortcuts[event.key];
      first = { key: event.key, atMs: performance.now() };
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [shortcuts]);
}
