import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { CLOSE_CODE } from '../../protocol/relay-protocol.js';
import { CredentialWatch } from '../organization/credentials/credential-watch.js';

interface OpenSocket {
  readonly caller: Principal;
  readonly close: (code: number, reason: string) => void;
  /** Throws ForbiddenError when a policy does not allow this socket any more. */
  readonly requireAllowed?: () => Promise<void>;
}

/** Every socket of this process: closed when the caller may not go on, and when the service stops. */
@Injectable()
export class OpenSockets implements BeforeApplicationShutdown {
  private readonly sockets = new Set<OpenSocket>();

  constructor(private readonly credentials: CredentialWatch) {}

  add(socket: OpenSocket): () => void {
    this.sockets.add(socket);
    const close = (reason: string) => socket.close(CLOSE_CODE.credentialChanged, reason);
    const stopWatch = this.credentials.watch(socket.caller, close, socket.requireAllowed);
    return () => {
      stopWatch();
      this.sockets.delete(socket);
    };
  }

  beforeApplicationShutdown(): void {
    for (const { close } of this.sockets) close(CLOSE_CODE.goingAway, 'The service stops.');
  }
}
