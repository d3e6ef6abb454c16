import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/time/clock.js';

const WINDOW_MS = 60_000;
const MAX_TRACKED = 50_000;

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Per credential and process, in windows of one minute. */
@Injectable()
export class RateLimiter {
  private readonly counts = boundedCache<{ count: number; windowEndsMs: number }>(MAX_TRACKED);

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  countRequest(credential: string): RateLimitState {
    const limit = this.config.http.rateLimitPerMinute;
    const nowMs = this.clock.now().getTime();
    const current = this.counts.get(credential);
    const window = current && current.windowEndsMs > nowMs ? current : { count: 0, windowEndsMs: nowMs + WINDOW_MS };
    window.count++;
    this.counts.set(credential, window);
    return {
      limit,
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.max(1, Math.ceil((window.windowEndsMs - nowMs) / 1000)),
      exceeded: window.count > limit,
    };
  }
}

export function rateLimitHeaders(state: Omit<RateLimitState, 'exceeded'>): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${state.limit};w=${WINDOW_MS / 1000}`,
    RateLimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
  };
}
