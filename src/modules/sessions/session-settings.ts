import {
  type Autonomy,
  autonomyModeOf,
  clampAutonomy,
  expandAutonomyMode,
} from '../../common/agent-settings/agent-settings.js';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import { type EnterpriseControls, forbiddenBy, restrictingRule } from '../organization/controls/enterprise-controls.js';

/** The fields that rules look at; the others are only stored. */
export type SessionSettings = Autonomy & { model?: string; specModeModel?: string };

/** null clears a field; one that is left out stays. */
export type SettingsChange = { [Field in keyof SessionSettings]?: SessionSettings[Field] | null };

export function changeSettings(
  current: SessionSettings,
  change: SettingsChange,
  controls: EnterpriseControls,
  userId: string,
): SessionSettings {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => (value ?? null) !== null));
  const cleared = Object.keys(change).filter((field) => change[field as keyof SettingsChange] === null);
  const kept = Object.entries(current).filter(([field]) => !cleared.includes(field));
  const merged = { ...Object.fromEntries(kept), ...expandAutonomyMode(given as SessionSettings) } as SessionSettings;
  requireAllowedModels(merged, controls, userId);
  return withDerivedAutonomy(merged, controls);
}

/** Where models are restricted, a session without one gets the organization's default: the agent might choose a forbidden one. */
export function settingsForTurn(
  settings: SessionSettings,
  controls: EnterpriseControls,
  userId: string,
): SessionSettings {
  const rule = settings.model === undefined ? restrictingRule(controls, userId) : null;
  const model = rule === null ? settings.model : controls.sessionDefaultSettings?.model;
  if (rule !== null && model === undefined) {
    throw new ForbiddenError(`The policy ${rule} restricts models, and this session names none: set its "model".`);
  }
  return changeSettings(model === undefined ? settings : { ...settings, model }, {}, controls, userId);
}

function withDerivedAutonomy(settings: SessionSettings, controls: EnterpriseControls): SessionSettings {
  const level = settings.autonomyLevel && clampAutonomy(settings.autonomyLevel, controls.maxAutonomyLevel ?? 'high');
  const clamped: SessionSettings = { ...settings, ...(level ? { autonomyLevel: level } : {}) };
  const autonomyMode = autonomyModeOf(clamped);
  if (autonomyMode) return { ...clamped, autonomyMode };
  delete clamped.autonomyMode; // what it was derived from is gone
  return clamped;
}

function requireAllowedModels(settings: SessionSettings, controls: EnterpriseControls, userId: string): void {
  for (const model of [settings.model, settings.specModeModel]) {
    const rule = model === undefined ? null : forbiddenBy(controls, userId, model);
    if (rule !== null) throw new ForbiddenError(`The policy ${rule} does not allow the model "${model ?? ''}".`);
  }
}
