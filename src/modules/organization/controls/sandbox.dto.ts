import { Flag, Nested, OneOf, Optional, TextList, WholeNumber } from '../../../common/validation/rules.js';

const SANDBOX_MODES = ['per-command', 'whole-process'] as const;

/** What the sandbox lets agents read and write. */
export class SandboxFilesystemSettings {
  /**
   * Paths that may be written.
   * @example ["/workspace"]
   */
  @Optional()
  @TextList(1000, 500)
  allowWrite?: string[];

  /**
   * Paths that may be read.
   * @example ["/usr"]
   */
  @Optional()
  @TextList(1000, 500)
  allowRead?: string[];

  /**
   * Paths that may never be written.
   * @example ["/etc"]
   */
  @Optional()
  @TextList(1000, 500)
  denyWrite?: string[];

  /**
   * Paths that may never be read.
   * @example ["~/.ssh"]
   */
  @Optional()
  @TextList(1000, 500)
  denyRead?: string[];
}

/** What the sandbox lets agents reach. */
export class SandboxNetworkSettings {
  /**
   * Domains that may be reached.
   * @example ["registry.npmjs.org"]
   */
  @Optional()
  @TextList(1000, 500)
  allowedDomains?: string[];

  /**
   * Unix sockets that may be used.
   * @example []
   */
  @Optional()
  @TextList(1000, 500)
  allowUnixSockets?: string[];

  /**
   * Whether every unix socket may be used.
   * @example false
   */
  @Optional()
  @Flag()
  allowAllUnixSockets?: boolean;

  /**
   * Whether local ports may be opened.
   * @example true
   */
  @Optional()
  @Flag()
  allowLocalBinding?: boolean;

  /**
   * Port of the HTTP proxy.
   * @example 8080
   */
  @Optional()
  @WholeNumber(1, 65_535)
  httpProxyPort?: number;

  /**
   * Port of the SOCKS proxy.
   * @example 1080
   */
  @Optional()
  @WholeNumber(1, 65_535)
  socksProxyPort?: number;
}

/** The sandbox in which agents run commands. */
export class SandboxSettings {
  /**
   * Whether it is used.
   * @example true
   */
  @Optional()
  @Flag()
  enabled?: boolean;

  /**
   * Around each command, or around the whole agent.
   * @example "per-command"
   */
  @Optional()
  @OneOf(SANDBOX_MODES)
  mode?: string;

  /** Files. */
  @Optional()
  @Nested(() => SandboxFilesystemSettings)
  filesystem?: SandboxFilesystemSettings;

  /** Network. */
  @Optional()
  @Nested(() => SandboxNetworkSettings)
  network?: SandboxNetworkSettings;
}
