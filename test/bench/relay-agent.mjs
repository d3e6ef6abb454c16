import { Agent } from 'node:http';
import { WebSocket } from 'ws';
import { exchange } from './load.mjs';

/** An agent that takes turns and ends them when it is told to. */
export class BenchAgent {
  onTurn = () => undefined;
  #socket;
  #answers = new Map();
  #nextId = 1;

  static async connect(api, computerId, slots) {
    const url = `${api.url.replace('http', 'ws')}/api/v0/computers/${computerId}/agent`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${api.key}` } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const agent = new BenchAgent();
    agent.#socket = socket;
    socket.on('message', (data) => agent.#read(JSON.parse(data)));
    await agent.call('hello', { protocol: 1, agent: { name: 'bench', version: '1' }, slots, turns: [] });
    return agent;
  }

  nextTurn() {
    return new Promise((resolve) => {
      this.onTurn = resolve;
    });
  }

  end({ sessionId, messageId, attempt }) {
    return this.call('turn.end', { turn: { sessionId, messageId, attempt }, reason: 'completed', messages: [] });
  }

  call(method, params) {
    const id = this.#nextId++;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  close() {
    this.#socket.close();
  }

  #read({ id, method, params }) {
    if (method === 'turn.start') {
      this.onTurn(params);
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    } else if (method === undefined) {
      this.#answers.get(id)?.();
      this.#answers.delete(id);
    }
  }
}

/** The v0 API, as the owner of the organization. */
export class Api {
  #agent = new Agent({ keepAlive: true });

  constructor(url, key) {
    this.url = url;
    this.key = key;
  }

  async send(method, path, body) {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    const request = { method, path: `/api/v0${path}`, headers, body: JSON.stringify(body) };
    return JSON.parse(await exchange(this.#agent, this.url, request));
  }
}
