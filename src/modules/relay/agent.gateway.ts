import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { type OnGatewayConnection, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import type { WebSocket, WebSocketServer as Server } from 'ws';
import type { Principal } from '../../common/access/principal.js';
import { Notifications } from '../../database/notifications.js';
import { CLOSE_CODE, MAX_FRAME_BYTES_TO_SERVICE } from '../../protocol/relay-protocol.js';
import { ComputerAgentsService } from '../computers/computer-agents.service.js';
import { PresenceService } from '../computers/presence/presence.service.js';
import { ConnectedAgents } from '../turns/connected-agents.js';
import { TurnProgressService } from '../turns/turn-progress.service.js';
import { TurnsService } from '../turns/turns.service.js';
import { AgentConnection, type AgentServices } from './agent-connection.js';
import { AgentHandshakeService } from './agent-handshake.service.js';
import { AgentUsageService } from './agent-usage.service.js';
import { OpenSockets } from './open-sockets.js';

const POLL_MS = 1_000;

/** The sockets of agents on this replica, by computer. */
@WebSocketGateway({ path: 'agent', maxPayload: MAX_FRAME_BYTES_TO_SERVICE })
export class AgentGateway implements OnGatewayConnection, OnModuleDestroy {
  @WebSocketServer() readonly server: Server;
  private readonly logger = new Logger('Relay');
  private readonly connections = new Map<string, Set<AgentConnection>>();
  private readonly services: AgentServices;
  private readonly poll: NodeJS.Timeout;

  constructor(
    handshake: AgentHandshakeService,
    turns: TurnsService,
    progress: TurnProgressService,
    usage: AgentUsageService,
    presence: PresenceService,
    private readonly agents: ComputerAgentsService,
    private readonly sockets: OpenSockets,
    private readonly connected: ConnectedAgents,
    notifications: Notifications,
  ) {
    this.services = { handshake, agents, presence, turns, progress, usage };
    notifications.on('turn_queued', ({ computerId }) =>
      this.forEach(this.of(computerId), (it) => it.dispatcher.fill()),
    );
    notifications.on('turns_changed', ({ computerId }) =>
      this.forEach(this.of(computerId), (it) => it.dispatcher.resync()),
    );
    notifications.on('agent_connected', ({ computerId }) =>
      this.forEach(this.of(computerId), (it) => it.closeIfSuperseded()),
    );
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
    notifications.onInterruption(() => this.resyncAll());
    // While notifications are delayed, the tables are polled.
    this.poll = setInterval(() => notifications.lagMs > POLL_MS && this.resyncAll(), POLL_MS);
    this.poll.unref();
  }

  handleConnection(socket: WebSocket, caller: Principal, computerId: string): void {
    const connection = new AgentConnection(socket, caller, computerId, this.services, this.logger, () => {
      const others = this.connections.get(computerId);
      others?.delete(connection);
      if (others?.size === 0) this.connections.delete(computerId);
      remove();
      leave();
    });
    const leave = this.connected.add(connection.dispatcher);
    const remove = this.sockets.add({
      caller,
      close: (code, reason) => connection.close(code, reason),
      requireAllowed: () => this.agents.requireAgent(caller, computerId),
    });
    this.connections.set(computerId, (this.connections.get(computerId) ?? new Set()).add(connection));
  }

  onModuleDestroy(): void {
    clearInterval(this.poll);
  }

  private resyncAll(): void {
    this.forEach(
      [...this.connections.values()].flatMap((connections) => [...connections]),
      async (connection) => {
        await connection.closeIfSuperseded();
        await connection.dispatcher.resync();
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
