import { ApiProperty } from '@nestjs/swagger';
import type { DemoState } from './demo-tour.service.js';

/** How far the demo is filled. */
export class DemoProgress {
  /**
   * What is being added.
   * @example "Older weeks"
   */
  phase: string;

  /**
   * How much of everything is there, 0 to 1.
   * @example 0.4
   */
  @ApiProperty({ minimum: 0, maximum: 1 })
  share: number;

  /**
   * Whether the newest weeks are there: first charts can be shown, older weeks follow.
   * @example true
   */
  hasCharts: boolean;
}

/** The organization of the demo. */
export class DemoOrganization {
  /**
   * Its name.
   * @example "Demo"
   */
  name: string;
}

/** The demo of this installation. */
export class DemoResponse {
  /**
   * `none`: there is none; `filling`: it is being filled; `ready`: it has a whole year; `stopped`: something went wrong, and
   * `POST /api/v0/demo` tries again.
   * @example "filling"
   */
  @ApiProperty({ enum: ['none', 'filling', 'stopped', 'ready'] })
  state: 'none' | 'filling' | 'stopped' | 'ready';

  /** How far it is filled; null when there is none. */
  @ApiProperty({ type: () => DemoProgress, nullable: true })
  progress: DemoProgress | null;

  /** Its organization; null when there is none. */
  @ApiProperty({ type: () => DemoOrganization, nullable: true })
  organization: DemoOrganization | null;

  /**
   * What went wrong; absent when nothing did.
   * @example "The database does not answer."
   */
  problem?: string;
}

/** A way into the demo. */
export class DemoLinkResponse {
  /**
   * Opens the console as the owner of the demo, once, within 15 minutes. Its secret is behind the `#`.
   * @example "http://127.0.0.1:3000/console/#welcome=AZgPXgAAfDuNDgpPOxwtAFzn0Yk3r4o0dXl2c2l5bXB0b21zYXJlYWxsaGVyZSEh"
   */
  link: string;
}

export function toDemoResponse({ state, organization, fill }: DemoState): DemoResponse {
  const { phase = '', share = 1, hasCharts = true, failure = null } = fill ?? {};
  return {
    state,
    progress: organization && { phase, share, hasCharts },
    organization: organization && { name: organization.name },
    ...(failure === null ? {} : { problem: failure }),
  };
}
