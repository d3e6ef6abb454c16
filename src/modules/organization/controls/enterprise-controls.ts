import type { Autonomy, AutonomyLevel } from '../../../common/agent/agent-settings.js';

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
  model?: string;
  baseUrl?: string;
  apiKey?: string;
  extraHeaders?: Record<string, string>;
}

/** The settings of an organization, as far as this service acts on them; the others it keeps for the agents. */
export interface EnterpriseControls {
  sessionDefaultSettings?: Autonomy & { model?: string; specModeModel?: string };
  maxAutonomyLevel?: AutonomyLevel;
  customModels?: CustomModel[];
  modelPolicy?: ModelPolicy;
  userModelPolicies?: Record<string, ModelLists>;
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
    forbiddenByLists(userModelPolicies?.[userId] ?? {}, 'userModelPolicies', model)
  );
}

function forbiddenByPolicy(policy: ModelPolicy, customModels: CustomModel[], model: string): string | null {
  const isCustom = model.startsWith('custom:');
  if (isCustom && policy.allowCustomModels === false) return 'modelPolicy.allowCustomModels';
  if (isCustom && policy.allowedBaseUrls) {
    const baseUrl = customModels.find((candidate) => candidate.id === model)?.baseUrl;
    if (baseUrl === undefined || !policy.allowedBaseUrls.includes(baseUrl)) return 'modelPolicy.allowedBaseUrls';
  }
  if (policy.isFastModelsAllowed === false && model.endsWith('-fast')) return 'modelPolicy.isFastModelsAllowed';
  const isAllowedAnyway = !isCustom && policy.allowAllFactoryModels === true;
  return forbiddenByLists(isAllowedAnyway ? { blockedModelIds: policy.blockedModelIds } : policy, 'modelPolicy', model);
}

function forbiddenByLists(lists: ModelLists, policy: string, model: string): string | null {
  if (lists.blockedModelIds?.includes(model)) return `${policy}.blockedModelIds`;
  const allowed = lists.allowedModelIds ?? [];
  return allowed.length > 0 && !allowed.includes(model) ? `${policy}.allowedModelIds` : null;
}
