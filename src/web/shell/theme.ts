import { useState } from 'react';

/** Read by public/theme.js before the first paint. */
const KEY = 'theme';

function isDark(): boolean {
  const chosen = localStorage.getItem(KEY);
  return chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
}

/** Light or dark as the system has it, until somebody switches. */
export function useTheme() {
  const [, setShown] = useState(isDark);
  return {
    switchTheme: () => {
      const next = isDark() ? 'light' : 'dark';
      localStorage.setItem(KEY, next);
      document.documentElement.dataset.theme = next;
      setShown(next === 'dark');
      // Charts are canvases: they read their colours again.
      window.dispatchEvent(new Event('themechange'));
    },
  };
}
