import { AgentSettings } from '../../../common/agent-settings/agent-settings.dto.js';
import { AUTONOMY_LEVELS, type AutonomyLevel } from '../../../common/agent-settings/agent-settings.js';
import {
  Flag,
  Matches,
  Nested,
  NestedList,
  NestedWithoutNull,
  OneOf,
  Optional,
  TextList,
  WholeNumber,
} from '../../../common/validation/rules.js';
import { CustomModelSettings } from './custom-model.dto.js';
import {
  MarketplaceSource,
  McpPolicySettings,
  MissionPolicySettings,
  ModelPolicySettings,
  NetworkPolicySettings,
} from './policies.dto.js';
import { SandboxSettings } from './sandbox.dto.js';
import { FlagMap, isCompleteSource, Marketplaces, McpAutonomyOverrides, UserModelPolicies } from './control-rules.js';

/** The settings of an organization. All are optional; what is left out permits, unless its description says otherwise. */
export class EnterpriseControlsSettings {
  /** What new sessions start with. */
  @Optional()
  @NestedWithoutNull(() => AgentSettings)
  sessionDefaultSettings?: AgentSettings;

  /**
   * The most autonomy a session may have; more is lowered to this. `high` by default.
   * @example "medium"
   */
  @Optional()
  @OneOf(AUTONOMY_LEVELS)
  maxAutonomyLevel?: AutonomyLevel;

  /**
   * Autonomy by MCP server: `defaultLevel` and, in `tools`, levels by tool; each `low`, `medium` or `high`.
   * @example { "github": { "defaultLevel": "low", "tools": { "create_issue": "high" } } }
   */
  @Optional()
  @McpAutonomyOverrides()
  mcpAutonomyOverrides?: Record<string, unknown>;

  /**
   * Whether agents send sessions to the platform.
   * @example true
   */
  @Optional()
  @Flag()
  cloudSessionSync?: boolean;

  /**
   * Whether agents send wikis to the platform.
   * @example true
   */
  @Optional()
  @Flag()
  wikiCloudSync?: boolean;

  /**
   * Whether commits name the agent as co-author.
   * @example true
   */
  @Optional()
  @Flag()
  includeCoAuthoredByAgent?: boolean;

  /**
   * Whether agents scan what they send for secrets.
   * @example true
   */
  @Optional()
  @Flag()
  enableAgentShield?: boolean;

  /**
   * Whether agents connect to an IDE by themselves.
   * @example true
   */
  @Optional()
  @Flag()
  ideAutoConnect?: boolean;

  /**
   * Commands that agents run without asking.
   * @example ["npm test"]
   */
  @Optional()
  @TextList(1000, 500)
  commandAllowlist?: string[];

  /**
   * Commands that agents never run.
   * @example ["rm -rf /"]
   */
  @Optional()
  @TextList(1000, 500)
  commandDenylist?: string[];

  /** Models of the organization's own. */
  @Optional()
  @NestedList(() => CustomModelSettings, 0, 200)
  customModels?: CustomModelSettings[];

  /** Which models may be used. */
  @Optional()
  @Nested(() => ModelPolicySettings)
  modelPolicy?: ModelPolicySettings;

  /** Which MCP servers may be used. */
  @Optional()
  @Nested(() => McpPolicySettings)
  mcpPolicy?: McpPolicySettings;

  /** Who may start missions. */
  @Optional()
  @Nested(() => MissionPolicySettings)
  missionPolicy?: MissionPolicySettings;

  /**
   * Allowed and blocked models by user id, in addition to `modelPolicy`.
   * @example { "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e": { "allowedModelIds": [], "blockedModelIds": ["gpt-5"] } }
   */
  @Optional()
  @UserModelPolicies()
  userModelPolicies?: Record<string, { allowedModelIds?: string[]; blockedModelIds?: string[] }>;

  /**
   * Plugins, as `plugin@marketplace`, and whether they are on.
   * @example { "review@example": true }
   */
  @Optional()
  @FlagMap()
  enabledPlugins?: Record<string, boolean>;

  /**
   * Further marketplaces by name.
   * @example { "example": { "source": { "source": "github", "repo": "example/plugins" } } }
   */
  @Optional()
  @Marketplaces()
  extraKnownMarketplaces?: Record<string, { source: MarketplaceSource }>;

  /** If given, plugins come from these marketplaces only. */
  @Optional()
  @NestedList(() => MarketplaceSource, 0, 200)
  @Matches((value) => Array.isArray(value) && value.every(isCompleteSource), {
    message: 'must give each source what its kind needs: github repo, url url, local path, git-subdir url and path',
    schema: {},
  })
  strictKnownMarketplaces?: MarketplaceSource[];

  /** From where requests are accepted. */
  @Optional()
  @Nested(() => NetworkPolicySettings)
  networkPolicy?: NetworkPolicySettings;

  /** The sandbox in which agents run commands. */
  @Optional()
  @Nested(() => SandboxSettings)
  sandbox?: SandboxSettings;

  /**
   * Whether members see only themselves among the users; false by default.
   * @example false
   */
  @Optional()
  @Flag()
  restrictMemberVisibility?: boolean;

  /**
   * Whether managed computers may be added.
   * @example true
   */
  @Optional()
  @Flag()
  managedComputersEnabled?: boolean;

  /**
   * Whether people may add machines of their own.
   * @example true
   */
  @Optional()
  @Flag()
  byomComputersEnabled?: boolean;

  /**
   * Sessions are deleted this many days after their last change; never when left out.
   * @example 90
   */
  @Optional()
  @WholeNumber(14, 365)
  sessionRetentionDays?: number;
}
