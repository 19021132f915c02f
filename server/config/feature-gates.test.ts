import assert from 'node:assert/strict';
import { latestRelease, releaseOf, releases } from '#base/release/release.ts';
import { createFeatureGates } from './feature-gates.ts';
import { gateIn } from './gate-history.ts';

describe('feature gates', () => {
  it('have the default of their stage until they are set', () => {
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

  it('cannot be disabled at stage GA, and cause a warning if they are set there', () => {
    assert.throws(() => createFeatureGates(new Map([['ServerSideApply', false]])), /feature is locked to true/);
    assert.equal(createFeatureGates(new Map([['ServerSideApply', true]])).warnings.length, 1);
  });

  it('are refused if they are unknown', () => {
    assert.throws(() => createFeatureGates(new Map([['Unknown', true]])), { name: 'ConfigError' });
    assert.throws(() => createFeatureGates().enabled('Unknown'), /not in the table/);
  });

  it('have the stages of the release', () => {
    const cases: [gate: string, minor: number, stage: string | undefined, enabled: boolean][] = [
      ['APIListChunking', 25, 'BETA', true],
      ['APIListChunking', 29, 'GA', true],
      ['APIListChunking', 33, undefined, true],
      ['PodSchedulingReadiness', 25, undefined, false],
      ['PodSchedulingReadiness', 26, 'ALPHA', false],
      ['PodSchedulingReadiness', 27, 'BETA', true],
      ['WatchList', 33, 'BETA', false],
      ['WatchList', 34, 'BETA', true],
      ['AggregatedDiscoveryRemoveBetaType', 33, 'DEPRECATED', true],
    ];
    for (const [gate, minor, stage, enabled] of cases) {
      const gates = createFeatureGates(new Map(), releaseOf(`1.${minor}`));
      const listed = gates.all.find(({ name }) => name === gate);
      assert.deepEqual([gate, minor, listed?.stage, gates.enabled(gate)], [gate, minor, stage, enabled]);
    }
  });

  it('can be set only in releases that contain them', () => {
    const set = (name: string, value: boolean, minor: number) =>
      createFeatureGates(new Map([[name, value]]), releaseOf(`1.${minor}`));
    assert.equal(set('PodSchedulingReadiness', true, 26).enabled('PodSchedulingReadiness'), true);
    assert.throws(() => set('PodSchedulingReadiness', true, 25), /unrecognized feature gate/);
    assert.throws(() => set('APIListChunking', true, 33), /unrecognized feature gate/);
    assert.throws(() => set('AggregatedDiscoveryRemoveBetaType', false, 35), /locked to true/);
    assert.deepEqual(set('AllowServiceExternalIPs', false, 36).enabled('AllowServiceExternalIPs'), false);
    assert.deepEqual(set('AllowServiceExternalIPs', false, 36).warnings, [
      'Setting GA feature gate AllowServiceExternalIPs=false. It will be removed in a future release.',
    ]);
    assert.deepEqual(set('AggregatedDiscoveryRemoveBetaType', false, 34).warnings, [
      'Setting deprecated feature gate AggregatedDiscoveryRemoveBetaType=false. It will be removed in a future release.',
    ]);
  });

  it('have a valid history in every release', () => {
    for (const release of releases) assert.ok(createFeatureGates(new Map(), release).all.length > 100);
    for (const text of ['25', '25 omega', 'alpha', '25 beta maybe']) assert.throws(() => gateIn(text, latestRelease));
  });

  it('are listed with stage and state', () => {
    const gates = createFeatureGates();
    assert.deepEqual(
      gates.all.find(({ name }) => name === 'OpenAPIV3'),
      { name: 'OpenAPIV3', stage: 'BETA', enabled: true },
    );
  });
});
