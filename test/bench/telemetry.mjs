import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { newApiKey } from '../../dist/common/access/api-key-format.js';
import { cpuSeconds, startCluster } from './cluster.mjs';
import { exchange, measure } from './load.mjs';
import { ratio, serviceEnv, startProcess, stopProcesses } from './processes.mjs';

/*
 * What a usage event costs that arrives as an OTLP log record in protobuf, against one that arrives natively as JSON; and
 * what a large metrics request does to the others. Ratios within this one run.
 */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 60_000);
const BATCH = 500;
const READS = 3000;
const METRICS_BYTES = 600_000;
const METRICS_EVERY_MS = 250;
const RUNS = 3;

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const cluster = await startCluster();
try {
  const key = newApiKey();
  const env = { ...serviceEnv(cluster), BOOTSTRAP_API_KEY: key };
  const service = await startProcess(['dist/main.js'], env, /API\s+(http\S+)/);
  await reportCost(service, key);
  await reportDisturbance(service, key);
} finally {
  agent.destroy();
  await stopProcesses();
  await cluster.stop();
}

async function reportCost(service, key) {
  const native = (calls) => ({
    path: '/api/v1/ingest/events',
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ events: calls.map(toEvent) })),
  });
  const otlp = (calls) => ({
    path: '/api/otlp/v1/logs',
    type: 'application/x-protobuf',
    body: Buffer.from(toLogs(calls)),
  });
  const perSecond = { native: [], otlp: [] };
  for (let run = 0; run <= RUNS; run++) {
    for (const [name, pack] of Object.entries({ native, otlp })) {
      const rate = await eventsPerCpuSecond(service, key, pack);
      if (run > 0) perSecond[name].push(rate); // the first one warms the compiler
    }
  }
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const [fromJson, fromOtlp] = [median(perSecond.native), median(perSecond.otlp)];
  console.log(
    `Events per CPU second (node + Postgres), batches of ${BATCH}: native JSON ${Math.round(fromJson)}, ` +
      `OTLP protobuf ${Math.round(fromOtlp)}, ratio ${ratio(fromOtlp, fromJson)} (target 0.5)`,
  );
}

async function eventsPerCpuSecond({ url, pid }, key, pack) {
  const requests = Array.from({ length: EVENTS / BATCH }, () => pack(Array.from({ length: BATCH }, aCall)));
  const before = (await cpuSeconds(pid)) + (await cluster.cpuSeconds());
  let next = 0;
  const worker = async () => {
    while (next < requests.length) {
      const { path, type, body } = requests[next++];
      const headers = { authorization: `Bearer ${key}`, 'content-type': type };
      await exchange(agent, url, { method: 'POST', path, headers, body });
    }
  };
  await Promise.all([worker(), worker()]);
  return EVENTS / ((await cpuSeconds(pid)) + (await cluster.cpuSeconds()) - before);
}

/** Small reads alone, and while large metrics requests arrive beside them. */
async function reportDisturbance(service, key) {
  const headers = { authorization: `Bearer ${key}` };
  const read = () =>
    measure({ ...service, cluster, count: READS, makeRequest: () => ({ path: '/api/v0/me', headers }) });
  const alone = await read();
  const body = largeMetrics();
  let isOver = false;
  const sending = (async () => {
    for (; !isOver; await sleep(METRICS_EVERY_MS)) {
      const type = { 'content-type': 'application/json' };
      await exchange(agent, service.url, {
        method: 'POST',
        path: '/api/otlp/v1/metrics',
        headers: { ...headers, ...type },
        body,
      });
    }
  })();
  const beside = await read();
  isOver = true;
  await sending;
  console.log(
    `p99 of small reads: ${alone.p99.toFixed(1)} ms alone, ${beside.p99.toFixed(1)} ms beside metrics requests of ` +
      `${Math.round(body.length / 1000)} kB every ${METRICS_EVERY_MS} ms, ratio ${ratio(beside.p99, alone.p99)} (target 2)`,
  );
}

function largeMetrics() {
  const sample = JSON.parse(readFileSync('test/fixtures/otlp/codex-metrics.json', 'utf8'));
  const copies = Math.ceil(METRICS_BYTES / JSON.stringify(sample).length);
  const resourceMetrics = Array.from({ length: copies }, () => sample.resourceMetrics).flat();
  return Buffer.from(JSON.stringify({ resourceMetrics }));
}

function aCall(_, i) {
  return { at: Date.now() - i, session: `s-${i % 20}`, sequence: i, input: 100 + i, output: 10, cached: 50 };
}

function toEvent({ at, session, input, output, cached }) {
  return {
    id: randomUUID(),
    type: 'model_call',
    at: new Date(at).toISOString(),
    sessionId: session,
    client: 'terminal-ui',
    modelId: 'claude-sonnet-4-5',
    inputTokens: input + cached,
    outputTokens: output,
    cacheReadTokens: cached,
  };
}

/** An ExportLogsServiceRequest as Claude Code sends it, with the attributes that its records have. */
function toLogs(calls) {
  const nested = (writer, field, write) => {
    write(writer.tag(field, WireType.LengthDelimited).fork());
    writer.join();
  };
  const text = (writer, field, key, value) =>
    nested(writer, field, (pair) => {
      pair.tag(1, WireType.LengthDelimited).string(key);
      nested(pair, 2, (any) => any.tag(1, WireType.LengthDelimited).string(String(value)));
    });
  const whole = (writer, field, key, value) =>
    nested(writer, field, (pair) => {
      pair.tag(1, WireType.LengthDelimited).string(key);
      nested(pair, 2, (any) => any.tag(3, WireType.Varint).int64(value));
    });
  const record = (writer, { at, session, sequence, input, output, cached }) => {
    writer.tag(1, WireType.Bit64).fixed64(BigInt(at) * 1_000_000n);
    nested(writer, 5, (body) => body.tag(1, WireType.LengthDelimited).string('claude_code.api_request'));
    text(writer, 6, 'event.name', 'api_request');
    text(writer, 6, 'event.timestamp', new Date(at).toISOString());
    text(writer, 6, 'user.id', randomUUID());
    text(writer, 6, 'session.id', session);
    text(writer, 6, 'app.entrypoint', 'cli');
    text(writer, 6, 'terminal.type', 'xterm');
    text(writer, 6, 'prompt.id', randomUUID());
    text(writer, 6, 'model', 'claude-sonnet-4-5');
    whole(writer, 6, 'event.sequence', sequence);
    whole(writer, 6, 'input_tokens', input);
    whole(writer, 6, 'output_tokens', output);
    whole(writer, 6, 'cache_read_tokens', cached);
    whole(writer, 6, 'cache_creation_tokens', 0);
    whole(writer, 6, 'duration_ms', 1200);
  };
  const request = new BinaryWriter();
  nested(request, 1, (resourceLogs) => {
    nested(resourceLogs, 1, (resource) => text(resource, 1, 'service.name', 'claude-code'));
    nested(resourceLogs, 2, (scopeLogs) => {
      nested(scopeLogs, 1, (scope) =>
        scope.tag(1, WireType.LengthDelimited).string('com.anthropic.claude_code.events'),
      );
      for (const call of calls) nested(scopeLogs, 2, (writer) => record(writer, call));
    });
  });
  return request.finish();
}
