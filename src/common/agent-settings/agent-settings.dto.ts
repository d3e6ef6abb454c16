import { Nullable, OneOf, TextLength } from '../validation/rules.js';
import {
  AUTONOMY_LEVELS,
  AUTONOMY_MODES,
  type AutonomyLevel,
  type AutonomyMode,
  INTERACTION_MODES,
  type InteractionMode,
  REASONING_EFFORTS,
} from './agent-settings.js';

/** How an agent works: the part that an organization may set defaults for. In a session, null clears a field. */
export class AgentSettings {
  /**
   * Model id.
   * @example "claude-sonnet-4-5"
   */
  @Nullable()
  @TextLength(1, 200)
  model?: string;

  /**
   * Reasoning effort. Which of them a model knows depends on the model.
   * @example "medium"
   */
  @Nullable()
  @OneOf(REASONING_EFFORTS)
  reasoningEffort?: string;

  /**
   * Interaction mode; `spec` plans before it acts.
   * @example "auto"
   */
  @Nullable()
  @OneOf(INTERACTION_MODES)
  interactionMode?: InteractionMode;

  /**
   * How much the agent does without asking.
   * @example "medium"
   */
  @Nullable()
  @OneOf(AUTONOMY_LEVELS)
  autonomyLevel?: AutonomyLevel;

  /**
   * Level and interaction mode in one word, derived from them. Given alone it sets them; contradicting them is a 400.
   * @example "auto-medium"
   */
  @Nullable()
  @OneOf(AUTONOMY_MODES)
  autonomyMode?: AutonomyMode;

  /**
   * Model for specification mode.
   * @example "claude-opus-4-5"
   */
  @Nullable()
  @TextLength(1, 200)
  specModeModel?: string;

  /**
   * Reasoning effort in specification mode.
   * @example "high"
   */
  @Nullable()
  @OneOf(REASONING_EFFORTS)
  specModeReasoningEffort?: string;
}
