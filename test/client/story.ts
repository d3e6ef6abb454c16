import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/*
 * What somebody does with a client that was generated from the API document. It is compiled against types that were
 * generated a moment before, so that a wrong name, type or status in the document does not even compile here.
 */

const [baseUrl = '', ownerKey = ''] = process.argv.slice(2);
const as = (key: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const owner = as(ownerKey);
const key = must(await owner.POST('/api/v0/api-keys', { body: { name: 'story' } })).key;
const api = as(key);

const computer = must(await api.POST('/api/v0/computers', { body: { name: 'laptop', remoteUser: 'ada' } }));
const session = must(
  await api.POST('/api/v0/sessions', {
    body: { computerId: computer.id, sessionSettings: { model: 'model-a', autonomyMode: 'auto-low' } },
  }),
);
const path = { sessionId: session.sessionId };

const stream = must(await api.GET('/api/v0/sessions/{sessionId}/events', { params: { path }, parseAs: 'stream' }));
const events = (stream as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
await events.read(); // the sign that it is connected

const posted = must(
  await api.POST('/api/v0/sessions/{sessionId}/messages', {
    params: { path, header: { 'Idempotency-Key': 'story-1' } },
    body: { text: 'Fix the flaky login test' },
  }),
);
const { value: event = '' } = await events.read();
expect(event.includes(`"messageId":"${posted.messageId}"`), 'the stream tells about the message');
await events.cancel();

const read = must(await api.GET('/api/v0/sessions/{sessionId}/messages', { params: { path, query: { limit: '5' } } }));
expect(read.messages[0]?.id === posted.messageId, 'the message is read back');

const changed = must(
  await api.PATCH('/api/v0/sessions/{sessionId}', { params: { path }, body: { sessionSettings: { model: null } } }),
);
expect(changed.sessionSettings?.model === undefined, 'null clears a setting');

const found = must(await api.GET('/api/v0/sessions/search', { params: { query: { q: 'flaky' } } }));
expect(found.results[0]?.sessionId === session.sessionId, 'the search finds it');

const report = must(
  await api.POST('/api/organization/maturity-level-reports', {
    body: {
      repoUrl: 'https://github.com/acme/shop',
      apps: { '.': { description: 'Web shop' } },
      report: { readme: { numerator: 1, denominator: 1, rationale: 'It has one.' } },
    },
  }),
);
const reports = must(
  await api.GET('/api/organization/maturity-level-reports', {
    params: { query: { repoId: 'git@github.com:acme/shop.git', limit: 1 } },
  }),
);
expect(reports.reports[0]?.report.readme?.numerator === 1, 'the report is listed');
const { reportId } = report;
const assessed = must(
  await api.GET('/api/organization/agent-readiness-reports/{reportId}', { params: { path: { reportId } } }),
);
expect(assessed.levelName === 'Autonomous', 'the report has a level');

const { response } = await api.DELETE('/api/v0/sessions/{sessionId}', { params: { path } });
expect(response.status === 204, 'the session is deleted');
const { error } = await api.GET('/api/v0/sessions/{sessionId}', { params: { path } });
expect(error?.status === 404, 'and gone');
console.log('the story ended well');

function must<T>({ data, error: problem }: { data?: T; error?: { detail: string } }): T {
  if (data === undefined) throw new Error(problem?.detail ?? 'no data');
  return data;
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`It does not hold that ${what}`);
}
