import assert from 'node:assert/strict';
import { createFeatureGates } from './feature-gates.ts';

describe('feature gates', () => {
  it('follow their stage until they are set', () => {
    const cases: [gate: string, settings: Record<string, boolean>, enabled: boolean][] = [
      ['StorageVersionAPI', {}, false],
      ['StorageVersionAPI', { StorageVersionAPI: true }, true],
      ['StorageVersionAPI', { AllAlpha: true }, true],
      ['StorageVersionAPI', { StorageVersionAPI: false, AllAlpha: true }, false],
      ['APIListChunking', {}, true],
      ['APIListChunking', { APIListChunking: false }, false],
      ['APIListChunking', { AllBeta: false }, false],
      ['APIListChunking', { AllBeta: false, APIListChunking: true }, true],
      ['MinDomainsInPodTopologySpread', {}, false],
      ['MinDomainsInPodTopologySpread', { AllBeta: true }, true],
      ['ServerSideApply', { AllBeta: false }, true],
    ];
    for (const [gate, settings, enabled] of cases)
      assert.equal(
        createFeatureGates(new Map(Object.entries(settings))).enabled(gate),
        enabled,
        `${gate} ${JSON.stringify(settings)}`,
      );
  });

  it('cannot be switched off once they are GA, and setting them only warns', () => {
    assert.throws(() => createFeatureGates(new Map([['ServerSideApply', false]])), /feature is locked to true/);
    assert.equal(createFeatureGates(new Map([['ServerSideApply', true]])).warnings.length, 1);
  });

  it('must be known', () => {
    assert.throws(() => createFeatureGates(new Map([['Unknown', true]])), { name: 'ConfigError' });
    assert.throws(() => createFeatureGates().enabled('Unknown'), /not in the table/);
  });

  it('are listed with stage and state', () => {
    const gates = createFeatureGates();
    assert.deepEqual(
      gates.all.find(({ name }) => name === 'OpenAPIV3'),
      { name: 'OpenAPIV3', stage: 'BETA', enabled: true },
    );
  });
});
