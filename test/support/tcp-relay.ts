import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A stretch of network between two programs that a test can break: cut (refused and reset) or frozen (silent). */
export class TcpRelay {
  private state: 'open' | 'cut' | 'frozen' = 'open';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (near: Socket) => this.relay(near));
  }

  static async to(host: string, port: number): Promise<TcpRelay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpRelay(server, { host, port });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resets all connections; new ones are reset too until `open`. */
  cut(): void {
    this.state = 'cut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Connections stay up but nothing passes any more, in either direction. */
  freeze(): void {
    this.state = 'frozen';
  }

  /** Lets new connections through; what was frozen stays lost. */
  open(): void {
    for (const socket of this.sockets) socket.destroy();
    this.state = 'open';
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private relay(near: Socket): void {
    if (this.state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(this.target.port, this.target.host);
    this.join(near, far);
    this.join(far, near);
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (chunk) => {
      if (this.state === 'open') to.write(chunk);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
