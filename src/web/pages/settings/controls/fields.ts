import { choice, type ControlGroup, flag, json, list, number, text } from './field-kinds.js';

const LEVELS = ['off', 'low', 'medium', 'high'];
const EFFORTS = ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Every field of the service's settings; a unit test compares them with openapi.json. */
export const CONTROL_GROUPS: readonly ControlGroup[] = [
  {
    name: 'New sessions',
    fields: [
      text('sessionDefaultSettings.model', 'Model of new sessions', 'Model id.'),
      choice(
        'sessionDefaultSettings.reasoningEffort',
        'Reasoning effort',
        'Reasoning effort. Which of them a model knows depends on the model.',
        EFFORTS,
      ),
      choice(
        'sessionDefaultSettings.interactionMode',
        'Interaction mode',
        'Interaction mode; spec plans before it acts.',
        ['auto', 'spec', 'agi', 'mission'],
      ),
      choice(
        'sessionDefaultSettings.autonomyLevel',
        'Autonomy of new sessions',
        'How much the agent does without asking.',
        LEVELS,
      ),
      choice(
        'sessionDefaultSettings.autonomyMode',
        'Autonomy mode',
        'Level and interaction mode in one word, derived from them. Given alone it sets them; contradicting them is a 400.',
        ['normal', 'spec', 'auto-low', 'auto-medium', 'auto-high'],
      ),
      text('sessionDefaultSettings.specModeModel', 'Model for specifications', 'Model for specification mode.'),
      choice(
        'sessionDefaultSettings.specModeReasoningEffort',
        'Reasoning effort for specifications',
        'Reasoning effort in specification mode.',
        EFFORTS,
      ),
      choice(
        'maxAutonomyLevel',
        'Most autonomy',
        'The most autonomy a session may have; more is lowered to this. high by default.',
        LEVELS,
      ),
      json(
        'mcpAutonomyOverrides',
        'Autonomy by MCP server',
        'Autonomy by MCP server: defaultLevel and, in tools, levels by tool; each low, medium or high.',
      ),
    ],
  },
  {
    name: 'Commands',
    fields: [
      list('commandAllowlist', 'Commands without a question', 'Commands that agents run without asking.'),
      list('commandDenylist', 'Commands never run', 'Commands that agents never run.'),
    ],
  },
  {
    name: 'Models',
    fields: [
      json('customModels', 'Own models', "Models of the organization's own."),
      list('modelPolicy.allowedModelIds', 'Only these models', 'Only these; all when empty.'),
      list('modelPolicy.blockedModelIds', 'Never these models', 'Never these.'),
      list('modelPolicy.allowedBaseUrls', 'Addresses of own models', 'Custom models only at these addresses.'),
      flag('modelPolicy.allowCustomModels', 'Own models are allowed', 'Whether custom models may be used.'),
      flag(
        'modelPolicy.allowAllFactoryModels',
        'All built-in models are allowed',
        'Whether every built-in model may be used, whatever allowedModelIds says.',
      ),
      flag(
        'modelPolicy.isFastModelsAllowed',
        'Fast models are allowed',
        'Whether models with -fast at the end of their id may be used.',
      ),
      json(
        'userModelPolicies',
        'Models by person',
        'Allowed and blocked models by user id, in addition to modelPolicy.',
      ),
    ],
  },
  {
    name: 'MCP servers and plugins',
    fields: [
      flag('mcpPolicy.enabled', 'Only listed MCP servers', 'Whether the allow list counts; false by default.'),
      list('mcpPolicy.allowlist', 'MCP servers that may be used', 'The servers that may be used.'),
      json('enabledPlugins', 'Plugins', 'Plugins, as plugin@marketplace, and whether they are on.'),
      json('extraKnownMarketplaces', 'Further marketplaces', 'Further marketplaces by name.'),
      json(
        'strictKnownMarketplaces',
        'Only these marketplaces',
        'If given, plugins come from these marketplaces only.',
      ),
    ],
  },
  {
    name: 'Sandbox',
    fields: [
      flag('sandbox.enabled', 'Sandbox', 'Whether it is used.'),
      choice('sandbox.mode', 'Around what', 'Around each command, or around the whole agent.', [
        'per-command',
        'whole-process',
      ]),
      list('sandbox.filesystem.allowWrite', 'Paths that may be written', 'Paths that may be written.'),
      list('sandbox.filesystem.allowRead', 'Paths that may be read', 'Paths that may be read.'),
      list('sandbox.filesystem.denyWrite', 'Paths never written', 'Paths that may never be written.'),
      list('sandbox.filesystem.denyRead', 'Paths never read', 'Paths that may never be read.'),
      list('sandbox.network.allowedDomains', 'Domains that may be reached', 'Domains that may be reached.'),
      list('sandbox.network.allowUnixSockets', 'Unix sockets that may be used', 'Unix sockets that may be used.'),
      flag('sandbox.network.allowAllUnixSockets', 'Every unix socket', 'Whether every unix socket may be used.'),
      flag('sandbox.network.allowLocalBinding', 'Local ports may be opened', 'Whether local ports may be opened.'),
      number('sandbox.network.httpProxyPort', 'Port of the HTTP proxy', 'Port of the HTTP proxy.', 1, 65535),
      number('sandbox.network.socksProxyPort', 'Port of the SOCKS proxy', 'Port of the SOCKS proxy.', 1, 65535),
    ],
  },
  {
    name: 'Network and computers',
    fields: [
      list(
        'networkPolicy.allowedIps',
        'Addresses that may ask',
        'IP addresses or ranges in CIDR notation, at least one. Requests from elsewhere are a 403.',
      ),
      flag(
        'restrictMemberVisibility',
        'Members see only themselves',
        'Whether members see only themselves among the users; false by default.',
      ),
      flag('managedComputersEnabled', 'Managed computers', 'Whether managed computers may be added.'),
      flag('byomComputersEnabled', "People's own machines", 'Whether people may add machines of their own.'),
    ],
  },
  {
    name: 'What agents send and keep',
    fields: [
      flag('cloudSessionSync', 'Sessions go to the platform', 'Whether agents send sessions to the platform.'),
      flag('wikiCloudSync', 'Wikis go to the platform', 'Whether agents send wikis to the platform.'),
      flag('includeCoAuthoredByAgent', 'Commits name the agent', 'Whether commits name the agent as co-author.'),
      flag(
        'enableAgentShield',
        'Agents look for secrets in what they send',
        'Whether agents scan what they send for secrets.',
      ),
      flag(
        'ideAutoConnect',
        'Agents connect to an IDE by themselves',
        'Whether agents connect to an IDE by themselves.',
      ),
      number(
        'sessionRetentionDays',
        'Sessions are deleted after (days)',
        'Sessions are deleted this many days after their last change; never when left out.',
        14,
        365,
      ),
    ],
  },
  {
    name: 'Missions',
    fields: [
      flag(
        'missionPolicy.restrictedAccess',
        'Only listed people start missions',
        'Whether only the listed users may; false by default.',
      ),
      list('missionPolicy.allowedUserIds', 'People who may', 'Ids of the users who may.'),
    ],
  },
];
