/** An event as it is sent, with its user. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly userId: string;
  readonly sessionId?: string;
  readonly client?: string;
  readonly [field: string]: unknown;
}

export type NameKind = 'model' | 'tool' | 'server' | 'skill' | 'command' | 'hook' | 'extension' | 'language';
/** An event as it is counted. */
export type Event = ReportedEvent & {
  readonly day: string;
  readonly client: string;
  readonly names: Partial<Record<NameKind, string>>;
};

/** The day that many days later. */
export function daysFrom(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
}

/** Both included. */
export function daysBetween(first: string, last: string): string[] {
  const days = [];
  for (let day = first; day <= last; day = daysFrom(day, 1)) days.push(day);
  return days;
}
