import assert from 'node:assert/strict';
import { defaultRelease } from '#base/release/release.ts';
import { choosePlugins } from './choose-plugins.ts';

const names = (enabled: string[], disabled: string[] = [], only: string[] = []) =>
  choosePlugins(defaultRelease, enabled, disabled, only).map(({ name }) => name);

describe('choosePlugins', () => {
  it('returns the default plug-ins in a fixed order', () => {
    assert.deepEqual(names([]), [
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'TaintNodesByCondition',
      'PodSecurity',
      'Priority',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'CertificateApproval',
      'CertificateSigning',
      'CertificateSubjectRestriction',
      'DefaultIngressClass',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionWebhook',
      'ResourceQuota',
    ]);
  });

  it('ignores the order of names in the flag', () => {
    const some = ['AlwaysDeny', 'AlwaysPullImages', 'NodeRestriction', 'ResourceQuota'];
    assert.deepEqual(names(some), names(some.toReversed()));
    assert.equal(names(some).at(-1), 'AlwaysDeny');
  });

  it('leaves out disabled plug-ins', () => assert.ok(!names([], ['PodSecurity']).includes('PodSecurity')));

  it('returns only the plug-ins of --admission-control, in the fixed order', () => {
    assert.deepEqual(names([], [], ['ResourceQuota', 'NamespaceLifecycle']), ['NamespaceLifecycle', 'ResourceQuota']);
    assert.throws(() => names([], [], ['Nonsense']), /--admission-control names the unknown/);
    for (const [enabled, disabled] of [
      [['AlwaysDeny'], []],
      [[], ['PodSecurity']],
    ] as const)
      assert.throws(() => names([...enabled], [...disabled], ['ResourceQuota']), /names all plug-ins that run/);
  });

  const refusals: readonly [string, string[], string[], RegExp][] = [
    ['unknown', ['Nonsense'], [], /unknown admission plug-in "Nonsense": choose from AlwaysAdmit, AlwaysDeny/],
    ['unknown, in the flag to disable plug-ins', [], ['nonsense'], /--disable-admission-plugins names the unknown/],
    ['removed from later releases', ['PodSecurityPolicy'], [], /it was removed in release 1.25/],
    ['both enabled and disabled', ['PodSecurity'], ['PodSecurity'], /both name PodSecurity/],
  ];
  for (const [what, enabled, disabled, message] of refusals) {
    it(`refuses a name that is ${what}`, () => assert.throws(() => names(enabled, disabled), message));
  }
});
