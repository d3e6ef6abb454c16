import { networkInterfaces } from 'node:os';

const LOOK_MS = 500;

/** Tells when the machine gets an address that it did not have a moment ago: a cable or a wireless network is back. */
export class NetworkWatch {
  private known: ReadonlySet<string> = new Set();

  constructor(
    private readonly addresses: () => string[] = ownAddresses,
    private readonly lookMs = LOOK_MS,
  ) {}

  /** Returns what ends the watch. */
  start(onGained: () => void): () => void {
    this.known = new Set(this.addresses());
    const timer = setInterval(() => this.look(onGained), this.lookMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  private look(onGained: () => void): void {
    const before = this.known;
    const now = this.addresses();
    this.known = new Set(now);
    if (now.some((address) => !before.has(address))) onGained();
  }
}

/** Of interfaces with a carrier. Containers come and go with link-local addresses, which say nothing about the service. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
}
