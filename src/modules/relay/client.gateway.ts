import { Logger } from '@nestjs/common';
import { type OnGatewayConnection, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import type { WebSocket, WebSocketServer as Server } from 'ws';
import type { Principal } from '../../common/access/principal.js';
import { type ReadingPace, SessionStreamService } from '../sessions/stream/session-stream.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ClientConnection } from './client-connection.js';
import { OpenSockets } from './open-sockets.js';

const MAX_FRAME_BYTES = 64 * 1024;

@WebSocketGateway({ path: 'client', maxPayload: MAX_FRAME_BYTES })
export class ClientGateway implements OnGatewayConnection {
  @WebSocketServer() readonly server: Server;
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly stream: SessionStreamService,
    private readonly sessions: SessionsService,
    private readonly sockets: OpenSockets,
  ) {}

  handleConnection(socket: WebSocket, caller: Principal, computerId: string): void {
    const follow = async (sessionId: string, after: number | null, pace: ReadingPace) => {
      await this.sessions.get(caller, sessionId, computerId);
      return this.stream.follow(caller, sessionId, after, pace);
    };
    const connection = new ClientConnection(socket, follow, this.logger, () => remove());
    const remove = this.sockets.add({ caller, close: (code, reason) => connection.close(code, reason) });
  }
}
