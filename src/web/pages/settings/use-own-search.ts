import { useNavigate, useSearch } from '@tanstack/react-router';

/** The part of the address that belongs to a section; an empty value leaves the address. */
export function useOwnSearch<Own extends object>(read: (raw: Record<string, unknown>) => Own) {
  const own = read(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (next: Partial<Record<keyof Own, string | undefined>>) => {
    const entries = Object.entries(next).map(([name, value]) => [name, value || undefined]);
    void navigate({ to: '.', search: (now) => ({ ...now, ...Object.fromEntries(entries) }), replace: true });
  };
  return [own, change] as const;
}
