import { readFileSync } from 'node:fs';
import type { PermissionRequest, SessionUpdate } from '../../src/agent/acp/agent-driver.js';
import { readUpdate } from '../../src/agent/acp/session-update.js';
import type { UsageReport } from '../../src/protocol/relay-protocol.js';

export const RECORDED_AGENTS = ['claude-agent-acp', 'codex-acp', 'gemini-cli', 'opencode'] as const;
export type RecordedAgent = (typeof RECORDED_AGENTS)[number];

export interface RecordedLine {
  readonly dir: 'client->agent' | 'agent->client';
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

export function recordingOf(agent: RecordedAgent): string {
  return `test/fixtures/acp/${agent}.jsonl`;
}

export function readRecording(agent: RecordedAgent): RecordedLine[] {
  const lines = readFileSync(recordingOf(agent), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedLine);
}

export type RecordedEvent =
  { readonly update: SessionUpdate } | { readonly permission: PermissionRequest } | { readonly result: unknown };

/** From the prompt on. */
export function eventsOf(agent: RecordedAgent): RecordedEvent[] {
  const lines = readRecording(agent);
  const prompt = lines.findIndex(({ method }) => method === 'session/prompt');
  return lines.slice(prompt + 1).flatMap((line): RecordedEvent[] => {
    if (line.dir === 'client->agent') return [];
    if (line.method === 'session/request_permission')
      return [{ permission: line.params as unknown as PermissionRequest }];
    if (line.method === undefined) return [{ result: line.result }];
    const heard = readUpdate(line.params);
    if (!heard) throw new Error(`Not understood: ${JSON.stringify(line)}`);
    return [{ update: heard.update }];
  });
}

export function withoutIds(reports: readonly UsageReport[]): Record<string, unknown>[] {
  return reports.map((report) => {
    const rest: Record<string, unknown> = { ...report };
    delete rest.id;
    delete rest.at;
    return rest;
  });
}
