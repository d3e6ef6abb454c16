import { InvalidRequestError } from '../errors/domain-error.js';

/* Settings of agents that sessions and the organization's controls share. */

export const REASONING_EFFORTS = [
  'none',
  'dynamic',
  'off',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
export const INTERACTION_MODES = ['auto', 'spec', 'agi', 'mission'] as const;
/** From least to most. */
export const AUTONOMY_LEVELS = ['off', 'low', 'medium', 'high'] as const;
export const AUTONOMY_MODES = ['normal', 'spec', 'auto-low', 'auto-medium', 'auto-high'] as const;
export const PROVIDERS = [
  'anthropic',
  'openai',
  'generic-chat-completion-api',
  'factory',
  'google',
  'xai',
  'voyage',
  'bedrock-converse',
] as const;
export const API_PROVIDERS = [
  'bedrock',
  'anthropic',
  'vertex_anthropic',
  'bedrock_anthropic',
  'bedrock_converse',
  'openai',
  'azure_openai',
  'google',
  'xai',
  'fireworks',
  'baseten',
  'snowflake',
] as const;

export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];
export type AutonomyMode = (typeof AUTONOMY_MODES)[number];
export type InteractionMode = (typeof INTERACTION_MODES)[number];

/** How freely an agent acts; the mode combines the other two. */
export interface Autonomy {
  interactionMode?: InteractionMode;
  autonomyLevel?: AutonomyLevel;
  autonomyMode?: AutonomyMode;
}

const MODE_OF_LEVEL: Record<AutonomyLevel, AutonomyMode> = {
  off: 'normal',
  low: 'auto-low',
  medium: 'auto-medium',
  high: 'auto-high',
};

export function autonomyModeOf({ interactionMode, autonomyLevel }: Autonomy): AutonomyMode | undefined {
  if (interactionMode === 'spec') return 'spec';
  if (interactionMode === undefined && autonomyLevel === undefined) return undefined;
  return MODE_OF_LEVEL[autonomyLevel ?? 'off'];
}

/** Derives level and interaction mode from a given mode, and refuses a mode that contradicts them. */
export function expandAutonomyMode<T extends Autonomy>(given: T, path = 'sessionSettings'): T {
  const { autonomyMode, interactionMode, autonomyLevel } = given;
  if (autonomyMode === undefined) return given;
  const implied = impliedBy(autonomyMode);
  const level = autonomyLevel ?? implied.autonomyLevel;
  const expanded = {
    ...given,
    interactionMode: interactionMode ?? implied.interactionMode,
    ...(level ? { autonomyLevel: level } : {}),
  };
  if (autonomyModeOf(expanded) !== autonomyMode) {
    throw InvalidRequestError.ofField(`${path}.autonomyMode`, 'contradicts interactionMode or autonomyLevel');
  }
  return expanded;
}

export function clampAutonomy(level: AutonomyLevel, max: AutonomyLevel): AutonomyLevel {
  return AUTONOMY_LEVELS.indexOf(level) > AUTONOMY_LEVELS.indexOf(max) ? max : level;
}

function impliedBy(mode: AutonomyMode): Autonomy {
  if (mode === 'spec') return { interactionMode: 'spec' };
  const level = AUTONOMY_LEVELS.find((candidate) => MODE_OF_LEVEL[candidate] === mode);
  return { interactionMode: 'auto', autonomyLevel: level };
}
