import { connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  applicationName: string | null;
  isSilent: boolean;
}

/** A proxy between service and database that can fail like a network. */
export class TcpProxy {
  private readonly connections = new Set<Socket>();
  private readonly links = new Set<Link>();
  private server: Server | null = null;
  private isSilent = false;

  private constructor(
    private target: URL,
    private port: number,
  ) {}

  static async start(targetUrl: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(targetUrl), 0);
    await proxy.listen();
    return proxy;
  }

  /** Refuses connections until `heal`, like a server that is not up yet. */
  static async refusing(targetUrl: string): Promise<TcpProxy> {
    const proxy = await TcpProxy.start(targetUrl);
    await proxy.refuse();
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.toString();
  }

  /** New connections go to another server. */
  aimAt(targetUrl: string): void {
    this.target = new URL(targetUrl);
  }

  /** Closes every connection; accepts new ones. */
  cut(): void {
    for (const socket of this.connections) socket.resetAndDestroy();
    this.connections.clear();
    this.links.clear();
  }

  /** Closes every connection and refuses new ones. */
  async refuse(): Promise<void> {
    const server = this.server;
    this.server = null;
    this.cut();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** From now on drops all data silently, on old and new connections. */
  blackHole(): void {
    this.isSilent = true;
    for (const socket of this.connections) socket.unpipe().resume();
  }

  /**
   * Silently drops all data, including the close, of the connections that are open now; new ones work. With a name,
   * only those of Postgres clients with this application_name.
   */
  silence(applicationName?: string): number {
    let count = 0;
    for (const link of this.links) {
      if (link.isSilent || (applicationName !== undefined && link.applicationName !== applicationName)) continue;
      link.isSilent = true;
      link.client.unpipe().resume();
      link.upstream.unpipe().resume();
      count++;
    }
    return count;
  }

  /** Works again. Connections that lost data are closed. */
  async heal(): Promise<void> {
    if (this.isSilent) this.cut();
    this.isSilent = false;
    if (!this.server) await this.listen();
  }

  async stop(): Promise<void> {
    await this.refuse();
  }

  private async listen(): Promise<void> {
    const server = createServer((client) => this.accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    const address = server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
    this.server = server;
  }

  private accept(client: Socket): void {
    this.watch(client);
    if (this.isSilent) {
      client.resume();
      return;
    }
    const upstream = connect(Number(this.target.port), this.target.hostname);
    this.watch(upstream);
    const link: Link = { client, upstream, applicationName: null, isSilent: false };
    this.links.add(link);
    client.once('data', (startUp: Buffer) => {
      link.applicationName = /application_name\0([^\0]*)/.exec(startUp.toString('latin1'))?.[1] ?? null;
    });
    client.pipe(upstream).pipe(client);
    client.on('close', () => this.passOnEnd(link, upstream));
    upstream.on('close', () => this.passOnEnd(link, client));
  }

  private passOnEnd(link: Link, other: Socket): void {
    if (link.isSilent) return;
    this.links.delete(link);
    other.destroy();
  }

  private watch(socket: Socket): void {
    this.connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.connections.delete(socket));
  }
}
