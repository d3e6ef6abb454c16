import {
  type Autonomy,
  autonomyModeOf,
  clampAutonomy,
  expandAutonomyMode,
} from '../../common/agent-settings/agent-settings.js';
import { ForbiddenError } from '../../common/errors/domain-error.js';
import { type EnterpriseControls, forbiddenBy, restrictingRule } from '../organization/controls/enterprise-controls.js';

/** The settings of a session, as far as rules look at them; the other fields are only kept. */
export type SessionSettings = Autonomy & { model?: string; specModeModel?: string };

/** A change: a field that is null is cleared, one that is left out stays. */
export type SettingsChange = { [Field in keyof SessionSettings]?: SessionSettings[Field] | null };

/** Applies a change field by field and then what the organization has decided. */
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

/**
 * The settings with what the organization has decided since they were made. Where models are restricted, a session that
 * names none works with the organization's default: the agent's own choice could be a forbidden one.
 */
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
