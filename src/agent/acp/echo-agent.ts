import {
  agent,
  type AgentContext,
  methods,
  ndJsonStream,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type EchoDirective, parseEcho } from './echo-directives.js';
import { EchoTool } from './echo-tool.js';

const CHUNK_LENGTH = 1_000;
const MODES = [
  { id: 'default', name: 'Default' },
  { id: 'plan', name: 'Plan' },
];
const MODELS = ['echo-1', 'echo-2'];

interface EchoSession {
  readonly cwd: string;
  modeId: string;
  model: string;
  running: AbortController | null;
}

/** A small built-in agent that speaks ACP on its standard streams. Resolves when input ends. */
export async function runEchoAgent(): Promise<void> {
  const sessions = new Map<string, EchoSession>();
  const begin = (sessionId: string, cwd: string) => {
    const session: EchoSession = { cwd, modeId: 'default', model: 'echo-1', running: null };
    sessions.set(sessionId, session);
    return describe(session);
  };
  const find = (sessionId: string) => {
    const session = sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  };

  const connection = agent({ name: 'echo' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: 'echo', version: '1.0.0' },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: false, embeddedContext: false } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      const sessionId = randomUUID();
      return { sessionId, ...begin(sessionId, params.cwd) };
    })
    .onRequest(methods.agent.session.load, ({ params }) => begin(params.sessionId, params.cwd))
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      find(params.sessionId).modeId = params.modeId;
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
      const session = find(params.sessionId);
      if (params.configId === 'model' && typeof params.value === 'string') session.model = params.value;
      return { configOptions: describe(session).configOptions };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.running?.abort();
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const session = find(params.sessionId);
      const words = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      session.running = new AbortController();
      return new EchoTurn(client, params.sessionId, session.cwd, session.running.signal).answer(words);
    })
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));

  await connection.closed;
  for (const { running } of sessions.values()) running?.abort();
}

class EchoTurn {
  private answered = '';

  constructor(
    private readonly client: AgentContext,
    private readonly sessionId: string,
    private readonly cwd: string,
    private readonly cancelled: AbortSignal,
  ) {}

  async answer(text: string) {
    const { directives, rest } = parseEcho(text);
    await this.update({ sessionUpdate: 'available_commands_update', availableCommands: [COMMAND] });
    for (const directive of directives) {
      await this.follow(directive, rest);
      if (this.cancelled.aborted) return { stopReason: 'cancelled' as const };
    }
    await this.say(rest === '' ? text : rest);
    const usage = { inputTokens: countWords(text), outputTokens: countWords(this.answered) };
    const totalTokens = usage.inputTokens + usage.outputTokens;
    return { stopReason: 'end_turn' as const, usage: { ...usage, totalTokens } };
  }

  private async follow(directive: EchoDirective, rest: string): Promise<void> {
    switch (directive.name) {
      case 'sleep':
        await delay(directive.seconds * 1000, null, { signal: this.cancelled }).catch(() => undefined);
        return;
      case 'tool':
        await new EchoTool(this.client, this.sessionId, this.cwd).use(directive.tool, rest);
        return;
      case 'updates':
        await this.sendUpdates(directive.count);
        return;
      case 'fail':
        throw RequestError.internalError({ details: 'The echo agent was told to fail.' });
      case 'crash':
        process.stderr.write('The echo agent was told to crash.\n');
        process.exit(1);
    }
  }

  /** Of each ten updates, one begins a tool call, the next ends it, and the others are text. */
  private async sendUpdates(count: number): Promise<void> {
    for (let i = 0; i < count && !this.cancelled.aborted; i += 1) {
      const toolCallId = `update-${Math.floor(i / 10)}`;
      if (i % 10 === 8) await this.update({ sessionUpdate: 'tool_call', toolCallId, title: 'Count', kind: 'think' });
      else if (i % 10 === 9) await this.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
      else await this.say(`${i} `);
    }
  }

  private async say(text: string): Promise<void> {
    for (let start = 0; start < text.length; start += CHUNK_LENGTH) {
      const piece = text.slice(start, start + CHUNK_LENGTH);
      this.answered += piece;
      await this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: piece } });
    }
  }

  private update(update: SessionUpdate): Promise<void> {
    return this.client.notify(methods.client.session.update, { sessionId: this.sessionId, update });
  }
}

const COMMAND = { name: 'echo', description: 'Answers with what follows.' };

function describe({ modeId, model }: EchoSession) {
  return {
    modes: { currentModeId: modeId, availableModes: MODES },
    configOptions: [
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select' as const,
        currentValue: model,
        options: MODELS.map((value) => ({ value, name: value })),
      },
    ],
  };
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
