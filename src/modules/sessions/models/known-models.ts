import type { AutonomyLevel } from '../../../common/agent-settings/agent-settings.js';
import {
  type EnterpriseControls,
  forbiddenBy,
  ownModelLists,
} from '../../organization/controls/enterprise-controls.js';

/** Placeholders of usage, which no agent knows. */
const NO_MODEL = new Set(['unknown', '(other)']);

export interface KnownModel {
  readonly id: string;
  readonly displayName: string | null;
  readonly isCustom: boolean;
  readonly isUsed: boolean;
}

export interface ModelChoice {
  readonly models: KnownModel[];
  /** The model of sessions that name none; null: the agent chooses. */
  readonly defaultModel: string | null;
  /** Whether no other model may be chosen. */
  readonly isComplete: boolean;
  readonly maxAutonomyLevel: AutonomyLevel;
}

/** What a user may choose from: all that the controls or the usage of the organization name and no rule forbids. */
export function modelsFor(controls: EnterpriseControls, userId: string, used: readonly string[]): ModelChoice {
  const { sessionDefaultSettings: defaults, modelPolicy, customModels = [] } = controls;
  const lists = [modelPolicy ?? {}, ownModelLists(controls, userId)].map(
    ({ allowedModelIds }) => allowedModelIds ?? [],
  );
  const named = [defaults?.model, defaults?.specModeModel, ...lists.flat(), ...customModels.map(({ id }) => id)];
  const isUsed = new Set(used.filter((id) => !NO_MODEL.has(id)));
  const ids = new Set([...named.filter((id) => id !== undefined), ...isUsed]);
  const allowed = [...ids].filter((id) => forbiddenBy(controls, userId, id) === null).sort();
  const names = new Map(customModels.map(({ id, displayName }) => [id, displayName]));
  const isDefaultAllowed = defaults?.model !== undefined && allowed.includes(defaults.model);
  return {
    models: allowed.map((id) => ({
      id,
      displayName: names.get(id) ?? null,
      isCustom: id.startsWith('custom:'),
      isUsed: isUsed.has(id),
    })),
    defaultModel: isDefaultAllowed ? (defaults.model ?? null) : null,
    isComplete: lists.some((list, i) => list.length > 0 && !(i === 0 && modelPolicy?.allowAllFactoryModels === true)),
    maxAutonomyLevel: controls.maxAutonomyLevel ?? 'high',
  };
}
