import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { AggregationJob } from '../../src/modules/analytics/aggregation/aggregation.job.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import type { ApiClient } from './api-client.js';
import type { GivenUser } from './given.js';
import type { ManualClock } from './manual-clock.js';
import type { ReportedEvent } from './reported-events.js';
import { TestApp, type TestAppOptions } from './test-app.js';

export const ANALYTICS = '/api/v1/analytics';

/** Without background aggregation: a test decides when days are computed. */
export async function startUsageApp(options: TestAppOptions & { clock: ManualClock }): Promise<TestApp> {
  const app = await TestApp.start(options);
  await app.nest.get(AggregationJob).onApplicationShutdown();
  return app;
}

export function aggregate(app: TestApp): Promise<number> {
  return app.nest.get(AggregationService).runDue();
}

/** At noon of a day, or at an instant. */
export function event(user: GivenUser, type: string, when: string, fields: object = {}): ReportedEvent {
  const at = when.includes('T') ? when : `${when}T12:00:00.000Z`;
  return { id: randomUUID(), type, at, userId: user.id, ...fields };
}

export function modelCall(user: GivenUser, when: string, fields: object = {}): ReportedEvent {
  return event(user, 'model_call', when, { modelId: 'sonnet', inputTokens: 100, outputTokens: 10, ...fields });
}

/** Fails unless all events are accepted. */
export async function report(client: ApiClient, events: ReportedEvent[]): Promise<void> {
  const { status, body } = await client.post('/api/v1/ingest/events', { events });
  if (status !== 200 || body.rejectedCount > 0) throw new Error(`${status} ${JSON.stringify(body)}`);
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  /** As received. */
  readonly bytes: Buffer;
}

/** With exactly these headers; the body is not decompressed. */
export function rawGet(
  app: TestApp,
  user: GivenUser,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
) {
  return new Promise<RawAnswer>((resolve, reject) => {
    const call = request(app.url + path, { method, headers: { Authorization: `Bearer ${user.key}`, ...headers } });
    call.once('error', reject).once('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers as RawAnswer['headers'],
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    call.end();
  });
}
