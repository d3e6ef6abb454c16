import { ToldUsage } from '../../../src/agent/acp/told-usage.js';

const counts = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadInputTokens: 400,
  cacheCreationInputTokens: 0,
});
const result = (modelUsage: object) => ({ sessionId: 's', message: { type: 'result', modelUsage } });

it('takes what a sum has grown by, for each model', () => {
  const told = new ToldUsage();
  told.hear(result({ a: counts(600, 50) }));
  expect(told.take()).toEqual([
    { modelId: 'a', inputTokens: 1000, outputTokens: 50, cacheReadTokens: 400, cacheWriteTokens: 0 },
  ]);
  told.hear(result({ a: counts(700, 60), b: counts(0, 1) }));
  expect(told.take()).toEqual([
    { modelId: 'a', inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
    { modelId: 'b', inputTokens: 400, outputTokens: 1, cacheReadTokens: 400, cacheWriteTokens: 0 },
  ]);
  expect(told.take()).toEqual([]);
});

it('takes a sum that has become smaller as a new one', () => {
  const told = new ToldUsage();
  told.hear(result({ a: counts(6000, 500) }));
  told.take();
  told.hear(result({ a: counts(600, 50) }));
  expect(told.take()).toMatchObject([{ inputTokens: 1000, outputTokens: 50 }]);
});

it.each([null, {}, { message: { type: 'system', modelUsage: { a: counts(1, 1) } } }, result([1]), result({ a: 1 })])(
  'takes nothing from %j',
  (params) => {
    const told = new ToldUsage();
    told.hear(params);
    expect(told.take()).toEqual([]);
  },
);
