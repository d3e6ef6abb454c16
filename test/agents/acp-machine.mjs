import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from './programs.mjs';

const TURN_MS = 120_000;

/** The agent client with an agent, connected to the service, and what is done with its sessions. */
export class AcpMachine {
  constructor(service, model, directory) {
    Object.assign(this, { service, model, directory, work: join(directory, 'work'), home: join(directory, 'home') });
    for (const path of [this.work, this.home]) mkdirSync(path, { recursive: true });
  }

  get log() {
    return this.client.output;
  }

  async connect({ command, env }, args = []) {
    const options = ['--url', this.service.url, '--name', 'box', '--dir', this.work, ...args];
    const own = { PATH: process.env.PATH, HOME: this.home, LANG: 'C.UTF-8', TERM: 'dumb' };
    const all = { ...own, AGENT_PLATFORM_KEY: this.service.key, ...env };
    this.client = startProgram(process.execPath, ['dist/agent/main.js', 'connect', ...options, '--', ...command], all);
    await this.client.printed(/Connected as/, TURN_MS);
    this.computer = await this.api('GET', '/computers/name/box');
  }

  async telemetryArgs({ hasTelemetry }) {
    if (!hasTelemetry) return [];
    const { key } = await this.api('POST', '/api-keys', { name: 'telemetry', scope: 'telemetry' });
    return ['--telemetry-key', key];
  }

  async session(autonomyLevel) {
    const body = { computerId: this.computer.id, sessionSettings: { autonomyLevel } };
    const { sessionId } = await this.api('POST', '/sessions', body);
    this.firstCall = this.model.calls.length;
    return { id: sessionId, directory: join(this.work, sessionId) };
  }

  /** Of the model, since the session was opened. */
  calls() {
    return this.model.calls.slice(this.firstCall);
  }

  async say({ id }, text) {
    return this.api('POST', `/sessions/${id}/messages`, { text });
  }

  async ask(session, text) {
    await this.say(session, text);
    await this.idle(session);
  }

  interrupt({ id }) {
    return this.api('POST', `/sessions/${id}/interrupt`);
  }

  idle({ id }) {
    return this.until('the session is idle', async () => (await this.api('GET', `/sessions/${id}`)).status === 'idle');
  }

  /** What was said last. */
  async endOf({ id }) {
    const { messages } = await this.api('GET', `/sessions/${id}/messages?limit=100`);
    return messages
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => content.map(({ text = '' }) => text))
      .join(' ');
  }

  async tokensOf({ id }) {
    return (await this.api('GET', `/sessions/${id}`)).sessionSettings.tokenUsage;
  }

  async until(what, isSo) {
    for (const end = Date.now() + TURN_MS; Date.now() < end; await sleep(250)) if (await isSo()) return;
    throw new Error(`not within ${TURN_MS / 1000} s: ${what}`);
  }

  async api(method, path, body) {
    const response = await fetch(`${this.service.url}/api/v0${path}`, {
      method,
      headers: { authorization: `Bearer ${this.service.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status === 503 && method === 'GET') {
      await sleep(1_000); // a busy machine
      return this.api(method, path);
    }
    const answer = response.status === 204 ? null : await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer?.detail}`);
    return answer;
  }
}
