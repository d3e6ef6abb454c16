import type { AgentChoices } from '../../../src/agent/acp/agent-driver.js';
import { SessionOptions } from '../../../src/agent/acp/session-options.js';
import { readRecording, type RecordedAgent } from '../../support/recorded-agent.js';

const opened = (agent: RecordedAgent) =>
  readRecording(agent).find(({ result }) => result && 'sessionId' in result)?.result;
const optionsOf = (...responses: unknown[]) => {
  const options = new SessionOptions();
  for (const response of responses) options.merge(response);
  return options;
};
const modes = (currentModeId: string, ...ids: string[]) => ({
  modes: { currentModeId, availableModes: ids.map((id) => ({ id, name: id })) },
});
const select = (id: string, currentValue: string, values: string[], category?: string) => ({
  id,
  name: id,
  category,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value })),
});
const modeOf = (response: unknown, choices: AgentChoices) => {
  const { change } = optionsOf(response).mode(choices);
  if (change?.method === 'session/set_mode') return change.params.modeId;
  return change?.method === 'session/set_config_option' ? change.params.value : null;
};

describe('the mode of an agent', () => {
  it.each<[RecordedAgent, AgentChoices, string | null]>([
    ['claude-agent-acp', {}, null],
    ['claude-agent-acp', { autonomyLevel: 'high' }, null],
    ['claude-agent-acp', { interactionMode: 'spec' }, 'plan'],
    ['claude-agent-acp', { interactionMode: 'spec', autonomyLevel: 'high' }, 'plan'],
    ['codex-acp', {}, 'read-only'],
    ['codex-acp', { autonomyLevel: 'medium' }, 'read-only'],
    ['codex-acp', { autonomyLevel: 'high' }, 'auto'],
    ['codex-acp', { interactionMode: 'spec' }, 'read-only'],
    ['gemini-cli', { autonomyLevel: 'high' }, null],
    ['gemini-cli', { interactionMode: 'spec' }, 'plan'],
    ['opencode', { autonomyLevel: 'high' }, null],
    ['opencode', { autonomyLevel: 'low' }, null],
    ['opencode', { interactionMode: 'spec' }, 'plan'],
  ])('%s with %j changes to %s', (agent, choices, mode) => {
    expect(modeOf(opened(agent), choices)).toBe(mode);
  });

  it.each<[unknown, AgentChoices, string | null]>([
    [modes('yolo', 'yolo', 'ask'), {}, 'ask'],
    [modes('x', 'x', 'ask', 'default'), {}, 'default'],
    [modes('plan', 'plan', 'build'), {}, 'build'],
    [modes('x', 'x', 'auto', 'build'), { autonomyLevel: 'high' }, 'auto'],
    [modes('x', 'x', 'build', 'read-only'), { autonomyLevel: 'high' }, 'build'],
    [modes('x', 'x', 'y'), { interactionMode: 'spec' }, null],
    [modes('x', 'x', 'ask'), { interactionMode: 'spec' }, 'ask'],
    [modes('bypassPermissions', 'bypassPermissions', 'dontAsk', 'yolo', 'full-access'), {}, null],
    [{}, {}, null],
    [null, {}, null],
    [{ modes: 'none' }, {}, null],
  ])('%j with %j changes to %s', (response, choices, mode) => {
    expect(modeOf(response, choices)).toBe(mode);
  });

  it('is noted when there is none in which the agent asks', () => {
    const { change, note } = optionsOf(modes('yolo', 'yolo', 'full-access')).mode({});
    expect([change, note]).toEqual([null, 'The agent has no mode in which it asks; it stays in "yolo".']);
  });

  it('goes back to the first one after spec mode', () => {
    const options = optionsOf(modes('code', 'code', 'plan'));
    options.apply({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    expect(options.mode({}).change).toEqual({ method: 'session/set_mode', params: { modeId: 'code' } });
  });

  it('is set by an option where the agent has only that', () => {
    expect(optionsOf(opened('opencode')).mode({ interactionMode: 'spec' }).change).toEqual({
      method: 'session/set_config_option',
      params: { configId: 'mode', value: 'plan' },
    });
  });

  it('is the one that the agent has changed to, however it says so', () => {
    const options = optionsOf(opened('claude-agent-acp'));
    options.applied({ method: 'session/set_mode', params: { modeId: 'plan' } });
    expect(options.mode({ interactionMode: 'spec' }).change).toBeNull();
    const configOptions = [select('mode', 'default', ['default', 'plan'], 'mode')];
    options.apply({ sessionUpdate: 'config_option_update', configOptions } as never);
    expect(options.mode({ interactionMode: 'spec' }).change).not.toBeNull();
  });
});

describe('the model of an agent', () => {
  const models = [select('model', 'a/one', ['a/one', 'a/two', 'b/two', 'b/three'], 'model')];

  it.each<[string, string | null]>([
    ['a/two', 'a/two'],
    ['three', 'b/three'],
    ['a/one', null],
    ['one', null],
  ])('%s: changes to %s', (model, value) => {
    const change = value && { method: 'session/set_config_option', params: { configId: 'model', value } };
    expect(optionsOf({ configOptions: models }).model({ model })).toEqual({ change, note: null });
  });

  it.each(['two', 'four', 'ree', 'a'])('%s is not offered, which is noted', (model) => {
    expect(optionsOf({ configOptions: models }).model({ model })).toEqual({
      change: null,
      note: `The agent does not offer the model "${model}"; it keeps its own.`,
    });
  });

  it('is left alone when none is wanted', () => {
    expect(optionsOf({ configOptions: models }).model({})).toEqual({ change: null, note: null });
  });

  it('may be in a group, and in an option without a category', () => {
    const grouped = { ...select('model', 'x', []), options: [{ group: 'g', options: [{ value: 'y' }] }] };
    expect(optionsOf({ configOptions: [null, grouped] }).model({ model: 'y' }).change?.params).toEqual({
      configId: 'model',
      value: 'y',
    });
  });

  it('is set in the old way where there is only that', () => {
    const options = optionsOf(opened('gemini-cli'));
    expect(options.currentModel).toBe('gemini-2.5-flash');
    const { change } = options.model({ model: 'gemini-2.5-pro' });
    expect(change).toEqual({ method: 'session/set_model', params: { modelId: 'gemini-2.5-pro' } });
    if (change) options.applied(change);
    expect(options.currentModel).toBe('gemini-2.5-pro');
  });

  it.each<[RecordedAgent, string | null]>([
    ['claude-agent-acp', 'default'],
    ['codex-acp', 'stub-model'],
    ['opencode', 'stub/stub-model'],
  ])('of %s is %s', (agent, model) => {
    expect(optionsOf(opened(agent)).currentModel).toBe(model);
  });

  it('is not known of an agent that does not tell', () => {
    expect(optionsOf({}).currentModel).toBeNull();
  });
});

describe('the effort of an agent', () => {
  it.each<[string, string | null, boolean]>([
    ['high', 'high', false],
    ['default', null, false],
    ['huge', null, true],
  ])('%s: changes to %s, noted: %s', (reasoningEffort, value, isNoted) => {
    const { change, note } = optionsOf(opened('claude-agent-acp')).effort({ reasoningEffort });
    expect(change?.params ?? null).toEqual(value && { configId: 'effort', value });
    expect(note !== null).toBe(isNoted);
  });

  it('is noted when the agent knows none', () => {
    expect(optionsOf({}).effort({ reasoningEffort: 'high' }).note).toContain('"high"');
    expect(optionsOf({}).effort({})).toEqual({ change: null, note: null });
  });

  it('may be an option that is only named so', () => {
    const options = optionsOf({ configOptions: [select('reasoning_effort', 'low', ['low', 'high'])] });
    expect(options.effort({ reasoningEffort: 'high' }).change?.params).toEqual({
      configId: 'reasoning_effort',
      value: 'high',
    });
  });
});
