import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { type OnGatewayConnection, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import type { WebSocket, WebSocketServer as Server } from 'ws';
import type { Principal } from '../../common/access/principal.js';
import { Notifications } from '../../database/notifications.js';
import { CLOSE_CODE, MAX_FRAME_BYTES_TO_SERVICE } from '../../protocol/relay-protocol.js';
import { ComputersService } from '../computers/computers.service.js';
import { ConnectedAgents } from '../turns/connected-agents.js';
import { AgentConnection } from './agent-connection.js';
import { AgentRelay } from './agent-relay.service.js';
import { OpenSockets } from './open-sockets.js';

const POLL_MS = 1_000;

/** The sockets of agents on this replica, by computer. */
@WebSocketGateway({ path: 'agent', maxPayload: MAX_FRAME_BYTES_TO_SERVICE })
export class AgentGateway implements OnGatewayConnection, OnModuleDestroy {
  @WebSocketServer() readonly server: Server;
  private readonly logger = new Logger('Relay');
  private readonly connections = new Map<string, Set<AgentConnection>>();
  private readonly poll: NodeJS.Timeout;

  constructor(
    private readonly relay: AgentRelay,
    private readonly sockets: OpenSockets,
    private readonly agents: ConnectedAgents,
    private readonly computers: ComputersService,
    notifications: Notifications,
  ) {
    notifications.on('turn_queued', ({ computerId }) => this.forEach(this.of(computerId), (it) => it.fill()));
    notifications.on('turns_changed', ({ computerId }) => this.forEach(this.of(computerId), (it) => it.wake()));
    notifications.on('agent_connected', ({ computerId }) => this.forEach(this.of(computerId), (it) => it.giveWay()));
    notifications.on('computer_deleted', ({ computerId }) => {
      for (const connection of this.of(computerId)) {
        connection.close(CLOSE_CODE.computerDeleted, 'The computer was deleted.');
      }
    });
    notifications.on('computer_handed_over', ({ computerId }) => {
      for (const connection of this.of(computerId)) {
        connection.close(CLOSE_CODE.credentialChanged, 'The computer was given to another user.');
      }
    });
    notifications.onInterruption(() => this.lookAfterAll());
    // Wake-ups are hints: while they cannot be heard, agents are looked after regularly.
    this.poll = setInterval(() => notifications.lagMs > POLL_MS && this.lookAfterAll(), POLL_MS);
    this.poll.unref();
  }

  handleConnection(socket: WebSocket, caller: Principal, computerId: string): void {
    const connection = new AgentConnection(socket, caller, computerId, this.relay, this.logger, () => {
      const others = this.connections.get(computerId);
      others?.delete(connection);
      if (others?.size === 0) this.connections.delete(computerId);
      remove();
      leave();
    });
    const leave = this.agents.add(connection);
    const remove = this.sockets.add({
      caller,
      close: (code, reason) => connection.close(code, reason),
      requireAllowed: () => this.computers.requireAgent(caller, computerId),
    });
    this.connections.set(computerId, (this.connections.get(computerId) ?? new Set()).add(connection));
  }

  onModuleDestroy(): void {
    clearInterval(this.poll);
  }

  private lookAfterAll(): void {
    this.forEach(
      [...this.connections.values()].flatMap((connections) => [...connections]),
      async (connection) => {
        await connection.giveWay();
        await connection.wake();
      },
    );
  }

  private forEach(connections: AgentConnection[], work: (connection: AgentConnection) => Promise<void>): void {
    for (const connection of connections) {
      work(connection).catch((error: unknown) => this.logger.warn(`An agent cannot be looked after: ${String(error)}`));
    }
  }

  private of(computerId: string | undefined): AgentConnection[] {
    return [...(this.connections.get(computerId ?? '') ?? [])];
  }
}
