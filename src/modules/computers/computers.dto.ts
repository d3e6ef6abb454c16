import { Optional, OneOf, TextLength } from '../../common/validation/rules.js';
import { ComputerEntity, PROVIDER_TYPES } from './computer.entity.js';

/** A machine to register. */
export class RegisterComputerRequest {
  /**
   * Name, 1 to 63 characters, not `.` or `..`; unique in the organization whatever the letter case.
   * @example "build-server"
   */
  @TextLength(1, 63)
  name: string;

  /**
   * `byom`, a machine of your own. No managed provider is built in: asking for one is a 400.
   * @example "byom"
   */
  @Optional()
  @OneOf(PROVIDER_TYPES)
  providerType?: ComputerEntity['providerType'];

  /**
   * Host name, 1 to 253 characters.
   * @example "build.example.com"
   */
  @Optional()
  @TextLength(1, 253)
  hostname?: string;

  /**
   * Remote user name, 1 to 63 characters.
   * @example "ci"
   */
  @Optional()
  @TextLength(1, 63)
  remoteUser?: string;
}

/** What to change about a computer; a field that is left out stays as it is. */
export class UpdateComputerRequest {
  /**
   * New name, 1 to 63 characters, not `.` or `..`; unique in the organization whatever the letter case.
   * @example "build-server-2"
   */
  @Optional()
  @TextLength(1, 63)
  name?: string;

  /**
   * New remote user name, 1 to 63 characters.
   * @example "deploy"
   */
  @Optional()
  @TextLength(1, 63)
  remoteUser?: string;
}

/** One step on the way to a computer that can run sessions. */
export class ProvisioningStepResponse {
  /**
   * Which step: the computer is created, then its agent connects.
   * @example "connect-agent"
   */
  id: 'create-computer' | 'connect-agent';

  /**
   * The step in words.
   * @example "Connecting agent"
   */
  name: string;

  /**
   * How far it is.
   * @example "pending"
   */
  status: 'pending' | 'in_progress' | 'completed' | 'failed';

  /**
   * Why it failed.
   * @example "The agent command was not found."
   */
  error?: string;

  /**
   * When it began, Unix milliseconds.
   * @example 1763193600000
   */
  startedAt?: number;

  /**
   * When it ended, Unix milliseconds.
   * @example 1763193600000
   */
  completedAt?: number;
}

/** A machine on which sessions run. */
export class ComputerResponse {
  /**
   * Computer id.
   * @example "01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"
   */
  id: string;

  /**
   * Name.
   * @example "build-server"
   */
  name: string;

  /**
   * `byom`: a machine of the organization's own; `managed`: one of a hosted provider.
   * @example "byom"
   */
  providerType: 'byom' | 'managed';

  /**
   * When it was registered, Unix milliseconds.
   * @example 1763193600000
   */
  createdAt: number;

  /**
   * Host name, when known.
   * @example "build.example.com"
   */
  hostname?: string;

  /**
   * `provisioning` until its agent first connects, then `active`; `error` when the agent cannot run.
   * @example "provisioning"
   */
  status?: 'provisioning' | 'active' | 'error';

  /** The steps of its set-up. */
  provisioningSteps?: ProvisioningStepResponse[];

  /**
   * Relay address for clients (WebSocket).
   * @example "wss://agents.example.com/api/v0/computers/01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f/client"
   */
  relayClientUrl?: string;

  /**
   * Relay address for its agent (WebSocket).
   * @example "wss://agents.example.com/api/v0/computers/01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f/agent"
   */
  relayAgentUrl?: string;

  /**
   * Remote user name, when known.
   * @example "ci"
   */
  remoteUser?: string;
}

/** All computers of the organization. */
export class ComputersResponse {
  /** The computers, newest first. */
  computers: ComputerResponse[];
}

export function toComputerResponse(computer: ComputerEntity, publicUrl: string): ComputerResponse {
  const relayUrl = `${publicUrl.replace(/^http/, 'ws')}/api/v0/computers/${computer.id}`;
  return {
    id: computer.id,
    name: computer.name,
    providerType: computer.providerType,
    createdAt: computer.createdAt.getTime(),
    ...(computer.hostname === null ? {} : { hostname: computer.hostname }),
    status: computer.status,
    provisioningSteps: computer.provisioningSteps,
    relayClientUrl: `${relayUrl}/client`,
    relayAgentUrl: `${relayUrl}/agent`,
    ...(computer.remoteUser === null ? {} : { remoteUser: computer.remoteUser }),
  };
}
