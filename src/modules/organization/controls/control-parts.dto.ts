import { PROVIDERS, REASONING_EFFORTS } from '../../../common/agent/agent-settings.js';
import { Flag, Nested, OneOf, Optional, TextLength, TextList, WholeNumber } from '../../../common/validation/rules.js';
import { AnyMap, CommitHash, CustomModelId, HttpUrl, IpRanges, TextMap } from './control-rules.js';

const MARKETPLACE_SOURCES = ['github', 'url', 'local', 'git-subdir'] as const;
const SANDBOX_MODES = ['per-command', 'whole-process'] as const;

/** A model of the organization's own. */
export class CustomModelSettings {
  /**
   * Model name at its provider.
   * @example "llama-4-70b"
   */
  @Optional()
  @TextLength(1, 200)
  model?: string;

  /**
   * Address of its API, http or https. A password in it is stored encrypted and masked.
   * @example "https://models.example.com/v1"
   */
  @Optional()
  @HttpUrl()
  baseUrl?: string;

  /**
   * Key for its API; a reference such as `${MODEL_KEY}` is best. A literal one is stored encrypted and masked; sending the mask back keeps it.
   * @example "${MODEL_KEY}"
   */
  @Optional()
  @TextLength(1, 2000)
  apiKey?: string;

  /**
   * Request protocol.
   * @example "openai"
   */
  @Optional()
  @OneOf(PROVIDERS)
  provider?: string;

  /**
   * Id of the model here; starts with `custom:`.
   * @example "custom:llama-4"
   */
  @Optional()
  @CustomModelId()
  id?: string;

  /**
   * Name that people see.
   * @example "Llama 4 (own)"
   */
  @Optional()
  @TextLength(1, 200)
  displayName?: string;

  /**
   * Position in lists.
   * @example 0
   */
  @Optional()
  @WholeNumber(0, 10_000)
  index?: number;

  /**
   * Largest context, in tokens.
   * @example 200000
   */
  @Optional()
  @WholeNumber(1, 1_000_000_000)
  maxContextLimit?: number;

  /**
   * Most tokens for thinking.
   * @example 16000
   */
  @Optional()
  @WholeNumber(0, 1_000_000_000)
  thinkingMaxTokens?: number;

  /**
   * Most tokens of an answer.
   * @example 8192
   */
  @Optional()
  @WholeNumber(1, 1_000_000_000)
  maxOutputTokens?: number;

  /**
   * Whether it thinks before it answers.
   * @example true
   */
  @Optional()
  @Flag()
  enableThinking?: boolean;

  /**
   * Whether it takes no images.
   * @example false
   */
  @Optional()
  @Flag()
  noImageSupport?: boolean;

  /**
   * Reasoning effort.
   * @example "medium"
   */
  @Optional()
  @OneOf(REASONING_EFFORTS)
  reasoningEffort?: string;

  /**
   * Further request headers. Literal values are stored encrypted and masked.
   * @example { "X-Team": "${TEAM}" }
   */
  @Optional()
  @TextMap()
  extraHeaders?: Record<string, string>;

  /**
   * Further fields of the request body.
   * @example { "top_k": 40 }
   */
  @Optional()
  @AnyMap()
  extraArgs?: Record<string, unknown>;
}

/** Which models may be used. What is left out allows. */
export class ModelPolicySettings {
  /**
   * Only these; all when empty.
   * @example ["claude-sonnet-4-5"]
   */
  @Optional()
  @TextList(1000, 200)
  allowedModelIds?: string[];

  /**
   * Never these.
   * @example []
   */
  @Optional()
  @TextList(1000, 200)
  blockedModelIds?: string[];

  /**
   * Custom models only at these addresses.
   * @example ["https://models.example.com/v1"]
   */
  @Optional()
  @TextList(1000, 500)
  allowedBaseUrls?: string[];

  /**
   * Whether custom models may be used.
   * @example true
   */
  @Optional()
  @Flag()
  allowCustomModels?: boolean;

  /**
   * Whether every built-in model may be used, whatever `allowedModelIds` says.
   * @example false
   */
  @Optional()
  @Flag()
  allowAllFactoryModels?: boolean;

  /**
   * Whether models with `-fast` at the end of their id may be used.
   * @example true
   */
  @Optional()
  @Flag()
  isFastModelsAllowed?: boolean;
}

/** Which MCP servers agents may use. */
export class McpPolicySettings {
  /**
   * Whether the allow list counts; false by default.
   * @example false
   */
  @Optional()
  @Flag()
  enabled?: boolean;

  /**
   * The servers that may be used.
   * @example ["github"]
   */
  @Optional()
  @TextList(1000, 500)
  allowlist?: string[];
}

/** Who may start missions. */
export class MissionPolicySettings {
  /**
   * Whether only the listed users may; false by default.
   * @example false
   */
  @Optional()
  @Flag()
  restrictedAccess?: boolean;

  /**
   * Ids of the users who may.
   * @example []
   */
  @Optional()
  @TextList(1000, 200)
  allowedUserIds?: string[];
}

/** From where requests are accepted. */
export class NetworkPolicySettings {
  /**
   * IP addresses or ranges in CIDR notation, at least one. Requests from elsewhere are a 403.
   * @example ["203.0.113.0/24"]
   */
  @Optional()
  @IpRanges()
  allowedIps?: string[];
}

/** Where plugins come from. */
export class MarketplaceSource {
  /**
   * Kind of source; `github` needs `repo`, `url` needs `url`, `local` needs `path`, `git-subdir` needs `url` and `path`.
   * @example "github"
   */
  @OneOf(MARKETPLACE_SOURCES)
  source: string;

  /**
   * Repository, owner and name.
   * @example "example/plugins"
   */
  @Optional()
  @TextLength(1, 500)
  repo?: string;

  /**
   * Address.
   * @example "https://git.example.com/plugins.git"
   */
  @Optional()
  @TextLength(1, 2000)
  url?: string;

  /**
   * Path.
   * @example "plugins"
   */
  @Optional()
  @TextLength(1, 1000)
  path?: string;

  /**
   * Branch or tag.
   * @example "main"
   */
  @Optional()
  @TextLength(1, 500)
  ref?: string;

  /**
   * Commit, 40 hexadecimal digits.
   * @example "0123456789abcdef0123456789abcdef01234567"
   */
  @Optional()
  @CommitHash()
  sha?: string;
}

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
