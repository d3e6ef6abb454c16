import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import { KEEP_ALIVE } from './connection-settings.js';
import type { Topic, Topics } from './notification-topics.js';

type Handler<K extends Topic> = (payload: Topics[K]) => void;

const PING_INTERVAL_MS = 300;
const PING_TIMEOUT_MS = 600;
const RECONNECT_DELAY_MS = 500;

/**
 * LISTEN on one direct connection. Notifications may be lost, so they only say what to read again. Postgres delivers
 * them before it answers a later query: when a ping sent at T is answered, all those committed before T have arrived.
 */
@Injectable()
export class Notifications {
  private readonly logger = new Logger('Notifications');
  private readonly handlers = new Map<string, Set<(payload: never) => void>>();
  private readonly interruptionHandlers = new Set<() => void>();
  private client: pg.Client | null = null;
  private directUrl: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private caughtUpAtMs = 0;

  /** Register before `start`. */
  on<K extends Topic>(topic: K, handler: Handler<K>): void {
    const handlers = this.handlers.get(topic) ?? new Set();
    this.handlers.set(topic, handlers.add(handler));
  }

  /** Calls `handler` whenever notifications may have been missed: anything cached has to be read again. */
  onInterruption(handler: () => void): void {
    this.interruptionHandlers.add(handler);
  }

  /** How far this process may be behind other replicas; Infinity while disconnected. */
  get lagMs(): number {
    return this.client === null ? Infinity : performance.now() - this.caughtUpAtMs;
  }

  async start(directUrl: string): Promise<void> {
    this.directUrl = directUrl;
    await this.connect();
  }

  async stop(): Promise<void> {
    this.directUrl = null;
    if (this.timer) clearTimeout(this.timer);
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    if (this.directUrl === null) return;
    const client = new pg.Client({
      connectionString: this.directUrl,
      application_name: 'agent-platform notifications',
      connectionTimeoutMillis: 1_500,
      query_timeout: PING_TIMEOUT_MS,
      ...KEEP_ALIVE,
    });
    client.on('error', () => undefined); // the ping notices, and reconnects
    client.on('notification', ({ channel, payload }) => this.dispatch(channel, payload));
    try {
      await client.connect();
      for (const topic of this.handlers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(topic)}`);
      await this.ping(client);
      this.client = client;
      this.interrupt();
      this.schedule(PING_INTERVAL_MS, () => this.watch(client));
    } catch (error) {
      void client.end().catch(() => undefined);
      this.logger.debug(`No connection for notifications: ${String(error)}`);
      this.schedule(RECONNECT_DELAY_MS, () => this.connect());
    }
  }

  /** A handler that fails must not stop the others or the connection. */
  private interrupt(): void {
    for (const handler of this.interruptionHandlers) {
      try {
        handler();
      } catch (error) {
        this.logger.error(`An interruption of notifications could not be handled: ${String(error)}`);
      }
    }
  }

  private async watch(client: pg.Client): Promise<void> {
    try {
      await this.ping(client);
      this.schedule(PING_INTERVAL_MS, () => this.watch(client));
    } catch {
      if (this.directUrl === null) return;
      this.logger.warn('The connection for notifications was lost; connecting again.');
      this.client = null;
      void client.end().catch(() => undefined);
      await this.connect();
    }
  }

  private async ping(client: pg.Client): Promise<void> {
    const askedAt = performance.now();
    await client.query('SELECT 1');
    this.caughtUpAtMs = askedAt;
  }

  private schedule(delayMs: number, work: () => Promise<void>): void {
    if (this.directUrl === null) return;
    this.timer = setTimeout(() => void work(), delayMs);
    this.timer.unref();
  }

  private dispatch(topic: string, payload: string | undefined): void {
    for (const handler of this.handlers.get(topic) ?? []) {
      try {
        handler(JSON.parse(payload ?? '{}') as never);
      } catch (error) {
        this.logger.error(`A notification on "${topic}" could not be handled: ${String(error)}`);
      }
    }
  }
}
