import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The agent client of a computer. */
export class ComputerAgentResponse {
  /**
   * What it calls itself.
   * @example "agent-platform-agent"
   */
  name: string;

  /**
   * Its version.
   * @example "0.1.0"
   */
  version: string;
}

/** Whether a computer is connected, and what it does. */
export class ComputerPresenceResponse {
  /**
   * Computer id.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  @ApiProperty({ format: 'uuid' })
  computerId: string;

  /**
   * Name of the computer.
   * @example "build-server"
   */
  name: string;

  /**
   * Whether its agent is connected.
   * @example true
   */
  online: boolean;

  /**
   * When its agent was last known to be connected, ISO 8601; absent when it never was. While it is online, a few seconds ago.
   * @example "2026-11-15T08:30:00.000Z"
   */
  @ApiPropertyOptional({ format: 'date-time' })
  lastSeenAt?: string;

  /** The agent client that connected last; absent when none did, or none of a release that tells. */
  @ApiPropertyOptional({ type: () => ComputerAgentResponse })
  agent?: ComputerAgentResponse;

  /**
   * Turns that it works on.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  runningTurns: number;

  /**
   * Turns that wait for it.
   * @example 0
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  waitingTurns: number;

  /**
   * The user who registered it.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @ApiProperty({ format: 'uuid' })
  registeredBy: string;

  /**
   * `private`: only the user who registered it runs sessions there; `organization`: everybody does.
   * @example "private"
   */
  access: 'private' | 'organization';

  /**
   * Whether literal secrets of the organization's controls travel there.
   * @example false
   */
  trusted: boolean;
}

/** The presence of all computers of the organization. */
export class ComputersPresenceResponse {
  /** The computers, newest first. */
  computers: ComputerPresenceResponse[];
}
