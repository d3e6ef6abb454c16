import { type EnterpriseControls, forbiddenBy } from '../../src/modules/organization/controls/enterprise-controls.js';
import {
  changeSettings,
  type SessionSettings,
  type SettingsChange,
} from '../../src/modules/sessions/session-settings.js';

const change = (current: SessionSettings, wanted: SettingsChange, controls: EnterpriseControls = {}) =>
  changeSettings(current, wanted, controls, 'ada');

describe('a change of settings', () => {
  it('sets what it names and leaves the rest', () => {
    expect(change({ model: 'a', specModeModel: 'b' }, { model: 'c' })).toEqual({ model: 'c', specModeModel: 'b' });
  });

  it('clears what is null', () => {
    expect(change({ model: 'a', specModeModel: 'b' }, { model: null })).toEqual({ specModeModel: 'b' });
  });

  it('clears nothing for what is undefined', () => {
    expect(change({ model: 'a' }, { model: undefined })).toEqual({ model: 'a' });
  });

  it('does not touch what it starts from', () => {
    const current: SessionSettings = Object.freeze({ model: 'a', autonomyLevel: 'high' });
    expect(() => change(current, { model: null, autonomyLevel: 'low' })).not.toThrow();
  });

  it.each<[SessionSettings, SettingsChange, SessionSettings]>([
    [{}, { autonomyLevel: 'low' }, { autonomyLevel: 'low', autonomyMode: 'auto-low' }],
    [
      { interactionMode: 'auto', autonomyLevel: 'low', autonomyMode: 'auto-low' },
      { autonomyMode: 'spec' },
      { interactionMode: 'spec', autonomyLevel: 'low', autonomyMode: 'spec' },
    ],
    [{ autonomyLevel: 'low', autonomyMode: 'auto-low' }, { autonomyLevel: null }, {}],
    [
      { autonomyLevel: 'low', autonomyMode: 'auto-low' },
      { autonomyMode: null },
      { autonomyLevel: 'low', autonomyMode: 'auto-low' },
    ],
  ])('of %j by %j derives the mode: %j', (current, wanted, expected) => {
    expect(change(current, wanted)).toEqual(expected);
  });

  it.each<[SettingsChange, SessionSettings]>([
    [{ autonomyLevel: 'high' }, { autonomyLevel: 'low', autonomyMode: 'auto-low' }],
    [{ autonomyMode: 'auto-high' }, { interactionMode: 'auto', autonomyLevel: 'low', autonomyMode: 'auto-low' }],
    [{ autonomyLevel: 'off' }, { autonomyLevel: 'off', autonomyMode: 'normal' }],
    [{ model: 'a' }, { model: 'a' }],
  ])('by %j is lowered to the level that is allowed: %j', (wanted, expected) => {
    expect(change({}, wanted, { maxAutonomyLevel: 'low' })).toEqual(expected);
  });

  it('lowers a level that was allowed once', () => {
    const current: SessionSettings = { autonomyLevel: 'high', autonomyMode: 'auto-high' };
    expect(change(current, {}, { maxAutonomyLevel: 'off' })).toEqual({ autonomyLevel: 'off', autonomyMode: 'normal' });
  });

  it.each<SettingsChange>([{ model: 'x' }, { specModeModel: 'x' }])('to a forbidden model is refused: %j', (wanted) => {
    const controls = { modelPolicy: { blockedModelIds: ['x'] } };
    expect(() => change({}, wanted, controls)).toThrow('modelPolicy.blockedModelIds');
  });
});

describe('a model', () => {
  const custom: EnterpriseControls = {
    customModels: [
      { id: 'custom:in', baseUrl: 'https://in.example' },
      { id: 'custom:out', baseUrl: 'https://out.example' },
    ],
  };

  it.each<[string, EnterpriseControls, string, string | null]>([
    ['without a policy', {}, 'a', null],
    ['with an empty policy', { modelPolicy: {} }, 'a', null],
    ['with an empty list', { modelPolicy: { allowedModelIds: [] } }, 'a', null],
    ['on the list', { modelPolicy: { allowedModelIds: ['a'] } }, 'a', null],
    ['not on the list', { modelPolicy: { allowedModelIds: ['b'] } }, 'a', 'modelPolicy.allowedModelIds'],
    ['that is blocked', { modelPolicy: { blockedModelIds: ['a'] } }, 'a', 'modelPolicy.blockedModelIds'],
    [
      'that is allowed and blocked',
      { modelPolicy: { allowedModelIds: ['a'], blockedModelIds: ['a'] } },
      'a',
      'modelPolicy.blockedModelIds',
    ],
    [
      'not on the list, where all built-in ones are allowed',
      { modelPolicy: { allowAllFactoryModels: true, allowedModelIds: ['b'] } },
      'a',
      null,
    ],
    [
      'that is blocked, where all built-in ones are allowed',
      { modelPolicy: { allowAllFactoryModels: true, blockedModelIds: ['a'] } },
      'a',
      'modelPolicy.blockedModelIds',
    ],
    [
      'of one’s own, where all built-in ones are allowed',
      { modelPolicy: { allowAllFactoryModels: true, allowedModelIds: ['b'] } },
      'custom:a',
      'modelPolicy.allowedModelIds',
    ],
    ['of one’s own', { modelPolicy: { allowCustomModels: false } }, 'custom:a', 'modelPolicy.allowCustomModels'],
    ['built in', { modelPolicy: { allowCustomModels: false } }, 'a', null],
    ['that is fast', { modelPolicy: { isFastModelsAllowed: false } }, 'a-fast', 'modelPolicy.isFastModelsAllowed'],
    ['that is not fast', { modelPolicy: { isFastModelsAllowed: false } }, 'fast-a', null],
    [
      'at an allowed address',
      { ...custom, modelPolicy: { allowedBaseUrls: ['https://in.example'] } },
      'custom:in',
      null,
    ],
    [
      'at another address',
      { ...custom, modelPolicy: { allowedBaseUrls: ['https://in.example'] } },
      'custom:out',
      'modelPolicy.allowedBaseUrls',
    ],
    [
      'at an unknown address',
      { ...custom, modelPolicy: { allowedBaseUrls: ['https://in.example'] } },
      'custom:other',
      'modelPolicy.allowedBaseUrls',
    ],
    [
      'blocked for the user',
      { userModelPolicies: { ada: { blockedModelIds: ['a'] } } },
      'a',
      'userModelPolicies.blockedModelIds',
    ],
    [
      'not on the user’s list',
      { userModelPolicies: { ada: { allowedModelIds: ['b'] } } },
      'a',
      'userModelPolicies.allowedModelIds',
    ],
    ['blocked for somebody else', { userModelPolicies: { eve: { blockedModelIds: ['a'] } } }, 'a', null],
    [
      'allowed for the user and blocked for all',
      { modelPolicy: { blockedModelIds: ['a'] }, userModelPolicies: { ada: { allowedModelIds: ['a'] } } },
      'a',
      'modelPolicy.blockedModelIds',
    ],
  ])('%s', (_what, controls, model, rule) => {
    expect(forbiddenBy(controls, 'ada', model)).toBe(rule);
  });
});
