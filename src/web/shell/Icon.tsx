const PATHS = {
  brand: 'M5 19V11m5 8V5m5 14v-6m5 6V8',
  overview: 'M4 13h6V4H4zm0 7h6v-4H4zm10 0h6v-9h-6zm0-16v4h6V4z',
  usage: 'M4 20h16M5 16l5-6 4 4 5-8',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5m1-9.2a3 3 0 0 0 0-5.9M21 20c0-2.6-1.4-4.4-3.5-5.1',
  tools: 'M14.5 6.5a4 4 0 0 0-5.3 5L4 16.7 7.3 20l5.2-5.2a4 4 0 0 0 5-5.3L15 12l-3-3z',
  sessions: 'M4 5h16v11H9l-5 4z',
  computers: 'M4 5h16v10H4zM9 20h6m-3-5v5',
  readiness: 'M12 3l8 3v6c0 4.5-3.4 7.7-8 9-4.6-1.3-8-4.5-8-9V6zm-3.5 9 2.5 2.5 4.5-5',
  connect: 'M9 7V3m6 4V3M6 7h12v4a6 6 0 0 1-12 0zm6 10v4',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M14 4.5v5m-4 5v5M14 7h4M6 17h4',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm5-1.500L20 20',
  moon: 'M20 14.5A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500Z',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration beside a word. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
