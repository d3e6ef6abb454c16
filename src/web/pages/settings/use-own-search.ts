import { useNavigate, useSearch } from '@tanstack/react-router';

/** The part of the address that belongs to a section; an empty value leaves the address. */
export function useOwnSearch<Own extends object>(read: (raw: Record<string, unknown>) => Own) {
  const own = read(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (next: Partial<Record<keyof Own, string | undefined>>) => {
    const entries = Object.entries<string | undefined>(next).map(([name, value]) => [name, value || undefined]);
    const changes = Object.fromEntries(entries) as Record<string, string | undefined>;
    void navigate({ to: '.', search: (now) => ({ ...now, ...changes }), replace: true });
  };
  return [own, change] as const;
}
