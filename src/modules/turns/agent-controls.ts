import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import type { SessionSettings } from '../sessions/session-settings.js';

/** Controls that the service enforces itself. */
const ENFORCED_HERE = [
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

/** The controls that an agent needs for a turn. Custom models carry keys, so only those that the session uses. */
export function agentControls(
  controls: EnterpriseControls,
  { model, specModeModel }: SessionSettings,
): EnterpriseControls {
  const sent = Object.entries(controls).filter(([field]) => !ENFORCED_HERE.includes(field));
  const customModels = (controls.customModels ?? []).filter(
    ({ id }) => id !== undefined && [model, specModeModel].includes(id),
  );
  return { ...Object.fromEntries(sent), ...(controls.customModels ? { customModels } : {}) };
}
