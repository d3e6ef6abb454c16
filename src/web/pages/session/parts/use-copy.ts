import { useState } from 'react';
import { say } from '../../../ui/Toasts.js';

const SHOWN_MS = 2_000;

/** Copies a text and says so for a moment; browsers forbid it on pages without HTTPS, except on loopback. */
export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      say('The browser does not let this page copy. Select the text and copy it yourself.', { isProblem: true });
    }
  };
  return [isCopied, (text) => void copy(text)];
}
