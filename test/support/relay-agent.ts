import { randomUUID } from 'node:crypto';
import {
  type HelloParams,
  type HelloResult,
  RELAY_PROTOCOL,
  type RelayMessage,
  type TurnRef,
  type TurnStart,
} from '../../src/protocol/relay-protocol.js';
import { eventually } from './eventually.js';
import { RelaySocket, type SocketOptions } from './relay-socket.js';

type Introduction = Partial<Pick<HelloParams, 'slots' | 'turns' | 'problem' | 'hostname'>>;

export const agentPath = (computerId: string) => `/api/v0/computers/${computerId}/agent`;

export function hello(introduction: Introduction = {}): HelloParams {
  const agent = { name: 'test agent', version: '1' };
  return { protocol: RELAY_PROTOCOL, agent, slots: 4, turns: [], ...introduction };
}

/** An agent that takes every turn and does nothing. */
export class RelayAgent {
  private constructor(
    readonly relay: RelaySocket,
    readonly greeting: HelloResult,
  ) {}

  static async connect(
    url: string,
    bearer: string,
    computerId: string,
    { headers, onRequest, ...introduction }: Introduction & SocketOptions = {},
  ): Promise<RelayAgent> {
    const relay = await RelaySocket.open(url, agentPath(computerId), bearer, { headers, onRequest });
    return new RelayAgent(relay, (await relay.call('hello', hello(introduction))) as HelloResult);
  }

  get turns(): TurnStart[] {
    return this.relay.heard
      .filter(({ method }) => method === 'turn.start')
      .map(({ params }) => params as unknown as TurnStart);
  }

  get cancelled(): TurnRef[] {
    return this.relay.notifications
      .filter(({ method }) => method === 'turn.cancel')
      .map(({ params }) => params as unknown as TurnRef);
  }

  turn(n = 0): Promise<TurnStart> {
    return eventually(`turn ${n} arrives`, () => this.turns[n]);
  }

  async put(turn: TurnRef, ...messages: RelayMessage[]): Promise<void> {
    await this.relay.call('message.put', { turn: refOf(turn), messages });
  }

  async endTurn(turn: TurnRef, reason = 'completed', ...messages: RelayMessage[]): Promise<void> {
    await this.relay.call('turn.end', { turn: refOf(turn), reason, messages });
  }

  async abandon(turn: TurnRef): Promise<void> {
    await this.relay.call('turn.abandon', { turn: refOf(turn) });
  }

  /** Returns the lost ones. */
  async renew(...turns: TurnRef[]): Promise<TurnRef[]> {
    const { lostTurns } = (await this.relay.call('turn.renew', { turns: turns.map(refOf) })) as HelloResult;
    return lostTurns;
  }

  /** The error code for appending to a turn. */
  async putRefusal(turn: TurnRef, ...messages: RelayMessage[]): Promise<{ code: number; message: string }> {
    return this.relay.refusal('message.put', { turn: refOf(turn), messages });
  }

  end(): Promise<void> {
    return this.relay.end();
  }
}

export function refOf({ sessionId, messageId, attempt }: TurnRef): TurnRef {
  return { sessionId, messageId, attempt };
}

export function says(text: string, id: string = randomUUID()): RelayMessage {
  return { id, role: 'assistant', content: [{ type: 'text', text }] };
}

export function toolSays(text: string, id: string = randomUUID()): RelayMessage {
  return { id, role: 'tool', content: [{ type: 'tool_result', toolUseId: 'call-1', content: text }] };
}
