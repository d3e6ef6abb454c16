import { Flag, OneOf, Optional, TextLength, TextList } from '../../../common/validation/rules.js';
import { CommitHash, IpRanges } from './control-rules.js';

const MARKETPLACE_SOURCES = ['github', 'url', 'local', 'git-subdir'] as const;

/**
 * Which models may be used. What is left out allows. Where models are restricted, a turn of a session that names no `model`
 * works with the one of `sessionDefaultSettings`; without that, it ends with an error that says so.
 */
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
