import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import type { SessionSettings } from '../sessions/session-settings.js';

/** What the service enforces itself, or what is none of an agent's business. */
const KEPT_HERE = [
  'sessionDefaultSettings',
  'maxAutonomyLevel',
  'modelPolicy',
  'userModelPolicies',
  'networkPolicy',
  'restrictMemberVisibility',
  'byomComputersEnabled',
  'managedComputersEnabled',
  'sessionRetentionDays',
];

/** The controls that travel to an agent with a turn. Of custom models, with their keys, only those that the session uses. */
export function agentControls(
  controls: EnterpriseControls,
  { model, specModeModel }: SessionSettings,
): EnterpriseControls {
  const travelling = Object.entries(controls).filter(([field]) => !KEPT_HERE.includes(field));
  const customModels = (controls.customModels ?? []).filter(
    ({ id }) => id !== undefined && [model, specModeModel].includes(id),
  );
  return { ...Object.fromEntries(travelling), ...(controls.customModels ? { customModels } : {}) };
}
