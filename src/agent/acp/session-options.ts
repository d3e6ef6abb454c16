import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { AgentChoices } from './agent-driver.js';

const Choice = z.object({ value: z.string() });
const Group = z.object({ options: z.array(Choice) });
const Option = z.object({
  id: z.string(),
  category: z.string().nullish().catch(undefined),
  currentValue: z.string(),
  options: z
    .array(z.union([Choice, Group]))
    .transform((items) => items.flatMap((item) => ('value' in item ? [item.value] : item.options.map((o) => o.value)))),
});
const Options = z
  .array(Option.nullable().catch(null))
  .transform((options) => options.filter((option) => option !== null))
  .nullish()
  .catch(undefined);
const Modes = z
  .object({ currentModeId: z.string(), availableModes: z.array(z.object({ id: z.string() })) })
  .nullish()
  .catch(undefined);
/** Removed from the protocol, but still sent by Gemini. */
const Models = z
  .object({ currentModelId: z.string(), availableModels: z.array(z.object({ modelId: z.string() })) })
  .nullish()
  .catch(undefined);
const Offer = z.object({ configOptions: Options, modes: Modes, models: Models }).catch({});

/** Modes without permission requests; never chosen. */
const BYPASS_MODES = ['bypassPermissions', 'yolo', 'full-access', 'dontAsk'];
const READING_MODES = ['plan', 'read-only'];
const ASKING_MODES = ['default', 'ask', 'read-only', 'auto', 'build'];
const ASKING_MODES_AT_HIGH = ['default', 'ask', 'auto', 'build'];
const EFFORT_IDS = ['effort', 'reasoning_effort', 'reasoningEffort', 'thought_level', 'thinking'];

export type Change =
  | { readonly method: 'session/set_mode'; readonly params: { readonly modeId: string } }
  | { readonly method: 'session/set_model'; readonly params: { readonly modelId: string } }
  | {
      readonly method: 'session/set_config_option';
      readonly params: { readonly configId: string; readonly value: string };
    };

export interface Step {
  readonly change: Change | null;
  readonly note: string | null;
}

const NOTHING: Step = { change: null, note: null };

/** The options that an agent offers, and their current values. */
export class SessionOptions {
  private options: z.infer<typeof Option>[] = [];
  private modes: NonNullable<z.infer<typeof Modes>> | null = null;
  private models: NonNullable<z.infer<typeof Models>> | null = null;
  private firstMode: string | null = null;

  merge(response: unknown): void {
    const { configOptions, modes, models } = Offer.parse(response ?? {});
    this.options = configOptions ?? this.options;
    this.modes = modes ?? this.modes;
    const modeOption = configOptions ? this.modeOption : undefined;
    if (modeOption && !modes) this.setMode(modeOption.currentValue);
    this.models = models ?? this.models;
    this.firstMode ??= this.currentMode;
  }

  apply(update: SessionUpdate): void {
    if (update.sessionUpdate === 'config_option_update') this.merge(update);
    if (update.sessionUpdate === 'current_mode_update') this.setMode(update.currentModeId);
  }

  applied(change: Change): void {
    if (change.method === 'session/set_mode') this.setMode(change.params.modeId);
    if (change.method === 'session/set_model' && this.models) {
      this.models = { ...this.models, currentModelId: change.params.modelId };
    }
  }

  get currentModel(): string | null {
    return this.option('model', ['model'])?.currentValue ?? this.models?.currentModelId ?? null;
  }

  model({ model }: AgentChoices): Step {
    if (model === undefined) return NOTHING;
    const option = this.option('model', ['model']);
    const offered = option?.options ?? this.models?.availableModels.map(({ modelId }) => modelId) ?? [];
    const value = findModel(offered, model);
    if (value === null)
      return { change: null, note: `The agent does not offer the model "${model}"; it keeps its own.` };
    if (value === this.currentModel) return NOTHING;
    if (option) return setOption(option.id, value);
    return { change: { method: 'session/set_model', params: { modelId: value } }, note: null };
  }

  mode({ interactionMode, autonomyLevel }: AgentChoices): Step {
    const offered = this.modes?.availableModes.map(({ id }) => id) ?? this.modeOption?.options ?? [];
    if (offered.length === 0) return NOTHING;
    const asking = [...(autonomyLevel === 'high' ? ASKING_MODES_AT_HIGH : ASKING_MODES), this.firstMode ?? ''];
    const reading = interactionMode === 'spec' ? READING_MODES : [];
    const wanted = [...reading, ...asking].find((mode) => offered.includes(mode) && !BYPASS_MODES.includes(mode));
    const current = this.currentMode ?? '';
    if (wanted === undefined)
      return { change: null, note: `The agent has no mode in which it asks; it stays in "${current}".` };
    if (wanted === current) return NOTHING;
    if (this.modes) return { change: { method: 'session/set_mode', params: { modeId: wanted } }, note: null };
    return this.modeOption ? setOption(this.modeOption.id, wanted) : NOTHING;
  }

  effort({ reasoningEffort }: AgentChoices): Step {
    if (reasoningEffort === undefined) return NOTHING;
    const option = this.option('thought_level', EFFORT_IDS);
    if (!option?.options.includes(reasoningEffort)) {
      return { change: null, note: `The agent does not offer the reasoning effort "${reasoningEffort}".` };
    }
    return option.currentValue === reasoningEffort ? NOTHING : setOption(option.id, reasoningEffort);
  }

  private setMode(currentModeId: string): void {
    if (this.modes) this.modes = { ...this.modes, currentModeId };
  }

  private get currentMode(): string | null {
    return this.modes?.currentModeId ?? this.modeOption?.currentValue ?? null;
  }

  private get modeOption() {
    return this.option('mode', ['mode']);
  }

  private option(category: string, ids: readonly string[]) {
    return this.options.find((o) => o.category === category) ?? this.options.find((o) => ids.includes(o.id));
  }
}

/** By its id, or by the only id that ends in it after a provider's name. */
function findModel(offered: readonly string[], wanted: string): string | null {
  if (offered.includes(wanted)) return wanted;
  const matching = offered.filter((id) => id.endsWith(`/${wanted}`));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}

function setOption(configId: string, value: string): Step {
  return { change: { method: 'session/set_config_option', params: { configId, value } }, note: null };
}
