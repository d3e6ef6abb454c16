import { safeAddress } from './safe-link.js';

/** Leads out of the console when the address allows it; else it is only text. */
export function OutsideLink({ address, children }: { address: string; children: string }) {
  const href = safeAddress(address);
  if (href === null) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
