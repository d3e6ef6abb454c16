import { PROVIDERS, REASONING_EFFORTS } from '../../../common/agent-settings/agent-settings.js';
import { Flag, OneOf, Optional, TextLength, WholeNumber } from '../../../common/validation/rules.js';
import { AnyMap, CustomModelId, HttpUrl, TextMap } from './control-rules.js';

/** A model of the organization's own. */
export class CustomModelSettings {
  /**
   * Model name at its provider.
   * @example "llama-4-70b"
   */
  @Optional()
  @TextLength(1, 200)
  model?: string;

  /**
   * Address of its API, http or https. A password or token in it is stored encrypted and masked.
   * @example "https://models.example.com/v1"
   */
  @Optional()
  @HttpUrl()
  baseUrl?: string;

  /**
   * Key for its API; a reference such as `${MODEL_KEY}` is best. A literal one is stored encrypted and masked; sending the mask back keeps it.
   * @example "${MODEL_KEY}"
   */
  @Optional()
  @TextLength(1, 2000)
  apiKey?: string;

  /**
   * Request protocol.
   * @example "openai"
   */
  @Optional()
  @OneOf(PROVIDERS)
  provider?: string;

  /**
   * Id of the model here; starts with `custom:`.
   * @example "custom:llama-4"
   */
  @Optional()
  @CustomModelId()
  id?: string;

  /**
   * Name that people see.
   * @example "Llama 4 (own)"
   */
  @Optional()
  @TextLength(1, 200)
  displayName?: string;

  /**
   * Position in lists.
   * @example 0
   */
  @Optional()
  @WholeNumber(0, 10_000)
  index?: number;

  /**
   * Largest context, in tokens.
   * @example 200000
   */
  @Optional()
  @WholeNumber(1, 1_000_000_000)
  maxContextLimit?: number;

  /**
   * Most tokens for thinking.
   * @example 16000
   */
  @Optional()
  @WholeNumber(0, 1_000_000_000)
  thinkingMaxTokens?: number;

  /**
   * Most tokens of an answer.
   * @example 8192
   */
  @Optional()
  @WholeNumber(1, 1_000_000_000)
  maxOutputTokens?: number;

  /**
   * Whether it thinks before it answers.
   * @example true
   */
  @Optional()
  @Flag()
  enableThinking?: boolean;

  /**
   * Whether it takes no images.
   * @example false
   */
  @Optional()
  @Flag()
  noImageSupport?: boolean;

  /**
   * Reasoning effort.
   * @example "medium"
   */
  @Optional()
  @OneOf(REASONING_EFFORTS)
  reasoningEffort?: string;

  /**
   * Further request headers. Literal values are stored encrypted and masked.
   * @example { "X-Team": "${TEAM}" }
   */
  @Optional()
  @TextMap()
  extraHeaders?: Record<string, string>;

  /**
   * Further fields of the request body. Text that looks like a secret, by its field's name or as a token, is stored encrypted and masked.
   * @example { "top_k": 40 }
   */
  @Optional()
  @AnyMap()
  extraArgs?: Record<string, unknown>;
}
