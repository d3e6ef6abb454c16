import type { ModelChoice } from './known-models.js';

/** A model that the caller may choose. */
export class ModelResponse {
  /**
   * Model id, for `model` of a session's settings.
   * @example "claude-sonnet-4-5"
   */
  id: string;

  /**
   * Name that people see; absent when the controls give none.
   * @example "Llama 4 (own)"
   */
  displayName?: string;

  /**
   * Whether it is a model of the organization's own (`customModels`).
   * @example false
   */
  custom: boolean;

  /**
   * Whether the organization has used it.
   * @example true
   */
  used: boolean;
}

/** The models that the caller may choose. */
export class ModelsResponse {
  /** The models, by id. */
  models: ModelResponse[];

  /**
   * The organization's default; absent when it has none, or when the caller may not choose it.
   * @example "claude-sonnet-4-5"
   */
  defaultModel?: string;

  /**
   * Whether the list is complete: a policy allows these models alone. Otherwise any model that no policy forbids may be
   * chosen; the service does not know which ones an agent has.
   * @example false
   */
  complete: boolean;

  /**
   * The highest autonomy level of a session, whatever its model; a higher one is lowered to it.
   * @example "high"
   */
  maxAutonomyLevel: 'off' | 'low' | 'medium' | 'high';
}

export function toModelsResponse({ models, defaultModel, isComplete, maxAutonomyLevel }: ModelChoice): ModelsResponse {
  return {
    models: models.map(({ id, displayName, isCustom, isUsed }) => ({
      id,
      ...(displayName === null ? {} : { displayName }),
      custom: isCustom,
      used: isUsed,
    })),
    ...(defaultModel === null ? {} : { defaultModel }),
    complete: isComplete,
    maxAutonomyLevel,
  };
}
