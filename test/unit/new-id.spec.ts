import { validate, version } from 'uuid';
import { newId } from '../../src/common/new-id.js';

describe('10,000 new ids', () => {
  const before = Date.now();
  const ids = Array.from({ length: 10_000 }, () => newId());
  const after = Date.now();

  it('are UUIDs of version 7', () => {
    expect(ids.filter((id) => !validate(id) || version(id) !== 7)).toEqual([]);
  });

  it('are all different, each greater than the one before', () => {
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  it('say when they were made', () => {
    const times = ids.map((id) => parseInt(id.replace('-', '').slice(0, 12), 16));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(after);
  });

  it('have nothing in common in their last six bytes', () => {
    expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length);
  });
});
