import {
  AUTONOMY_LEVELS,
  AUTONOMY_MODES,
  type Autonomy,
  autonomyModeOf,
  clampAutonomy,
  expandAutonomyMode,
  type InteractionMode,
} from '../../src/common/agent-settings/agent-settings.js';

describe('the autonomy mode', () => {
  it.each<[Autonomy, string | undefined]>([
    [{}, undefined],
    [{ autonomyMode: 'auto-high' }, undefined],
    [{ autonomyLevel: 'off' }, 'normal'],
    [{ autonomyLevel: 'low' }, 'auto-low'],
    [{ autonomyLevel: 'medium' }, 'auto-medium'],
    [{ autonomyLevel: 'high' }, 'auto-high'],
    [{ interactionMode: 'auto' }, 'normal'],
    [{ interactionMode: 'auto', autonomyLevel: 'high' }, 'auto-high'],
    [{ interactionMode: 'spec' }, 'spec'],
    [{ interactionMode: 'spec', autonomyLevel: 'high' }, 'spec'],
  ])('of %j is %s', (settings, mode) => {
    expect(autonomyModeOf(settings)).toBe(mode);
  });

  it.each(AUTONOMY_MODES)('%s says the same as what it expands to', (autonomyMode) => {
    expect(autonomyModeOf(expandAutonomyMode({ autonomyMode }))).toBe(autonomyMode);
  });

  it('expands beside other fields', () => {
    expect(expandAutonomyMode({ autonomyMode: 'auto-low', model: 'a' } as Autonomy)).toEqual({
      autonomyMode: 'auto-low',
      interactionMode: 'auto',
      autonomyLevel: 'low',
      model: 'a',
    });
  });

  it('leaves settings without it alone', () => {
    expect(expandAutonomyMode({ autonomyLevel: 'high' })).toEqual({ autonomyLevel: 'high' });
  });

  it('spec keeps the level, which it ignores', () => {
    expect(expandAutonomyMode({ autonomyMode: 'spec', autonomyLevel: 'high' })).toMatchObject({
      autonomyLevel: 'high',
    });
  });

  it.each<Autonomy>([
    { autonomyMode: 'spec', interactionMode: 'auto' },
    { autonomyMode: 'normal', interactionMode: 'spec' },
    { autonomyMode: 'normal', autonomyLevel: 'high' },
    { autonomyMode: 'auto-low', autonomyLevel: 'medium' },
  ])('that contradicts the other fields is refused: %j', (given) => {
    expect(() => expandAutonomyMode(given, 'settings')).toThrow('settings.autonomyMode');
  });

  const derivedFrom = (interactionModes: readonly InteractionMode[]) =>
    interactionModes.flatMap((interactionMode) =>
      AUTONOMY_LEVELS.map((autonomyLevel): Autonomy => ({ interactionMode, autonomyLevel })),
    );
  const survives = (settings: Autonomy) => {
    const derived = { ...settings, autonomyMode: autonomyModeOf(settings) };
    expect(expandAutonomyMode(derived)).toEqual(derived);
  };

  it.each(derivedFrom(['auto', 'spec', 'agi', 'mission']))('that was derived from %j does not contradict it', survives);
});

describe('the level in force', () => {
  const pairs = AUTONOMY_LEVELS.flatMap((level, i) =>
    AUTONOMY_LEVELS.map((max, j) => [level, max, i > j ? max : level]),
  );

  it.each(pairs)('for %s where at most %s is allowed is %s', (level, max, expected) => {
    expect(clampAutonomy(level as 'off', max as 'off')).toBe(expected);
  });
});
