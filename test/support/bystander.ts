import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 10;

/** Another client, which requests `GET /health/live` continuously and measures how long the answers take. */
export class Bystander {
  private readonly agent = new Agent({ keepAlive: true });
  private longestMs = 0;
  private isDone = false;

  constructor(private readonly url: string) {}

  /** The longest wait during `attack`. */
  async longestWaitDuring(attack: () => Promise<unknown>): Promise<number> {
    this.longestMs = 0;
    this.isDone = false;
    await this.ask();
    const watching = this.watch();
    await attack();
    this.isDone = true;
    await watching;
    return this.longestMs;
  }

  close(): void {
    this.agent.destroy();
  }

  /** Measured from when the request was due, including any delay in sending it. */
  private async watch(): Promise<void> {
    do {
      const dueMs = performance.now() + PAUSE_MS;
      await sleep(PAUSE_MS);
      const status = await this.ask();
      if (status !== 200) throw new Error(`A bystander got ${status}`);
      this.longestMs = Math.max(this.longestMs, performance.now() - dueMs);
    } while (!this.isDone);
  }

  private ask(): Promise<number> {
    return new Promise((resolve, reject) => {
      get(`${this.url}/health/live`, { agent: this.agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', reject);
    });
  }
}
