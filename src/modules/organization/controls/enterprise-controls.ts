import type { Autonomy, AutonomyLevel } from '../../../common/agent-settings/agent-settings.js';

export interface ModelLists {
  allowedModelIds?: string[];
  blockedModelIds?: string[];
}

export interface ModelPolicy extends ModelLists {
  allowedBaseUrls?: string[];
  allowCustomModels?: boolean;
  allowAllFactoryModels?: boolean;
  isFastModelsAllowed?: boolean;
}

export interface CustomModel {
  id?: string;
  displayName?: string;
  model?: string;
  baseUrl?: string;
  apiKey?: string;
  extraHeaders?: Record<string, string>;
  extraArgs?: Record<string, unknown>;
}

/** The URL may contain a password or a token. */
export interface PluginSource {
  source: string;
  url?: string;
  repo?: string;
}

/** The settings that this service acts on; it passes the others on to agents. */
export interface EnterpriseControls {
  sessionDefaultSettings?: Autonomy & { model?: string; specModeModel?: string };
  maxAutonomyLevel?: AutonomyLevel;
  customModels?: CustomModel[];
  modelPolicy?: ModelPolicy;
  userModelPolicies?: Record<string, ModelLists>;
  strictKnownMarketplaces?: PluginSource[];
  extraKnownMarketplaces?: Record<string, { source: PluginSource }>;
  networkPolicy?: { allowedIps?: string[] };
  restrictMemberVisibility?: boolean;
  managedComputersEnabled?: boolean;
  byomComputersEnabled?: boolean;
  sessionRetentionDays?: number;
}

/** The rule that forbids `model` to a user, or null when none does. */
export function forbiddenBy(controls: EnterpriseControls, userId: string, model: string): string | null {
  const { modelPolicy, userModelPolicies } = controls;
  return (
    (modelPolicy && forbiddenByPolicy(modelPolicy, controls.customModels ?? [], model)) ??
    forbiddenByLists(listsOf(userModelPolicies, userId), 'userModelPolicies', model)
  );
}

/** The rule that restricts the models of a user, or null: under such a rule an unnamed model may be forbidden. */
export function restrictingRule({ modelPolicy, userModelPolicies }: EnterpriseControls, userId: string): string | null {
  if (modelPolicy?.isFastModelsAllowed === false) return 'modelPolicy.isFastModelsAllowed';
  const own = listsOf(userModelPolicies, userId);
  return (
    restrictingList(modelPolicy?.allowAllFactoryModels ? {} : modelPolicy, 'modelPolicy') ??
    restrictingList({ blockedModelIds: modelPolicy?.blockedModelIds }, 'modelPolicy') ??
    restrictingList(own, 'userModelPolicies')
  );
}

function restrictingList(lists: ModelLists | undefined, policy: string): string | null {
  if (lists?.allowedModelIds && lists.allowedModelIds.length > 0) return `${policy}.allowedModelIds`;
  return lists?.blockedModelIds && lists.blockedModelIds.length > 0 ? `${policy}.blockedModelIds` : null;
}

export function ownModelLists({ userModelPolicies }: EnterpriseControls, userId: string): ModelLists {
  return listsOf(userModelPolicies, userId);
}

function listsOf(policies: EnterpriseControls['userModelPolicies'], userId: string): ModelLists {
  const own = Object.entries(policies ?? {}).find(([id]) => id.toLowerCase() === userId);
  return own?.[1] ?? {};
}

function forbiddenByPolicy(policy: ModelPolicy, customModels: CustomModel[], model: string): string | null {
  const isCustom = model.startsWith('custom:');
  if (isCustom && policy.allowCustomModels === false) return 'modelPolicy.allowCustomModels';
  if (isCustom && policy.allowedBaseUrls) {
    const baseUrl = customModels.find((candidate) => candidate.id === model)?.baseUrl;
    const allowed = policy.allowedBaseUrls.map(withoutCredentials);
    if (baseUrl === undefined || !allowed.includes(withoutCredentials(baseUrl))) return 'modelPolicy.allowedBaseUrls';
  }
  if (policy.isFastModelsAllowed === false && model.endsWith('-fast')) return 'modelPolicy.isFastModelsAllowed';
  const isAllowedAnyway = !isCustom && policy.allowAllFactoryModels === true;
  return forbiddenByLists(isAllowedAnyway ? { blockedModelIds: policy.blockedModelIds } : policy, 'modelPolicy', model);
}

/** For comparing: sealed text differs each time, so user, password and tokens are left out. */
function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/=sealed\.v1\.[\w-]+/g, '=');
}

function forbiddenByLists(lists: ModelLists, policy: string, model: string): string | null {
  if (lists.blockedModelIds?.includes(model)) return `${policy}.blockedModelIds`;
  const allowed = lists.allowedModelIds ?? [];
  return allowed.length > 0 && !allowed.includes(model) ? `${policy}.allowedModelIds` : null;
}
