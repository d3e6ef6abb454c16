import { readFileSync } from 'node:fs';

const SIGNALS = { logs: 'resourceLogs', metrics: 'resourceMetrics', traces: 'resourceSpans' } as const;
const LISTS = {
  logs: ['scopeLogs', 'logRecords'],
  metrics: ['scopeMetrics', 'metrics'],
  traces: ['scopeSpans', 'spans'],
} as const;

export type OtlpSignal = keyof typeof SIGNALS;
export type OtlpBody = Record<string, Record<string, unknown>[]>;

/** As captured from a real agent. */
export const otlpSample = (name: string) =>
  JSON.parse(readFileSync(`test/fixtures/otlp/${name}.json`, 'utf8')) as OtlpBody;

export const signalOf = (body: OtlpBody) =>
  (Object.keys(SIGNALS) as OtlpSignal[]).find((signal) => SIGNALS[signal] in body) ?? 'logs';

/** The same, with one text in place of another everywhere. */
export const replaced = (body: OtlpBody, from: string | RegExp, to: string) =>
  JSON.parse(JSON.stringify(body).replaceAll(from, to)) as OtlpBody;

/** The records of a request, each in a request of its own. */
export function splitRequest(body: OtlpBody): OtlpBody[] {
  const signal = signalOf(body);
  const [scopes, records] = LISTS[signal];
  return (body[SIGNALS[signal]] ?? []).flatMap((resource) =>
    (resource[scopes] as OtlpBody[]).flatMap((scope) =>
      (scope[records] ?? []).map((record) => ({
        [SIGNALS[signal]]: [{ ...resource, [scopes]: [{ ...scope, [records]: [record] }] }],
      })),
    ),
  );
}
