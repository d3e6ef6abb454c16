import { eventually } from './eventually.js';
import { RelaySocket } from './relay-socket.js';

export const clientPath = (computerId: string) => `/api/v0/computers/${computerId}/client`;

export interface ClientEvent {
  readonly sessionId: string;
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Follows sessions over a client socket. */
export class RelayClient {
  private constructor(readonly relay: RelaySocket) {}

  static async connect(url: string, bearer: string, computerId: string): Promise<RelayClient> {
    return new RelayClient(await RelaySocket.open(url, clientPath(computerId), bearer));
  }

  async follow(sessionId: string, after?: number): Promise<void> {
    await this.relay.call('session.follow', { sessionId, ...(after === undefined ? {} : { after }) });
  }

  async unfollow(sessionId: string): Promise<void> {
    await this.relay.call('session.unfollow', { sessionId });
  }

  get events(): ClientEvent[] {
    return this.relay.notifications
      .filter(({ method }) => method === 'session.event')
      .map(({ params }) => params as unknown as ClientEvent);
  }

  get ended(): unknown[] {
    return this.relay.notifications
      .filter(({ method }) => method === 'session.ended')
      .map(({ params }) => params.sessionId);
  }

  receive(count: number): Promise<ClientEvent[]> {
    return eventually(`${count} events`, () => (this.events.length >= count ? this.events : null));
  }

  end(): Promise<void> {
    return this.relay.end();
  }
}
