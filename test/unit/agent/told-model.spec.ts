import { readToldModel } from '../../../src/agent/acp/told-model.js';

it('the model is read from the first message of a turn of Claude Code', () => {
  const message = { type: 'system', subtype: 'init', model: 'claude-sonnet-4-5-20250929', tools: [] };
  expect(readToldModel({ sessionId: 's', message })).toBe('claude-sonnet-4-5-20250929');
});

it.each([
  null,
  {},
  { message: { type: 'result' } },
  { message: { type: 'system', subtype: 'init', model: '' } },
  { message: { type: 'system', subtype: 'status', model: 'x' } },
  { sessionId: 's', update: { sessionUpdate: 'plan' } },
])('other messages tell none: %j', (params) => {
  expect(readToldModel(params)).toBeNull();
});
