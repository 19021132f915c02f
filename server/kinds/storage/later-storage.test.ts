import assert from 'node:assert/strict';
import { latestRelease } from '#base/release/release.ts';
import { node } from '../core/node.ts';
import { persistentVolume } from '../core/persistent-volume.ts';
import { persistentVolumeClaim } from '../core/persistent-volume-claim.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { volumeAttachment } from './volume-attachment.ts';

const volumes = new KindTester(persistentVolume, 'core.v1', 'PersistentVolume', {}, latestRelease);
const claims = new KindTester(persistentVolumeClaim, 'core.v1', 'PersistentVolumeClaim', {}, latestRelease);
const drivers = new KindTester(csiDriver, 'storage.v1', 'CSIDriver', {}, latestRelease);
const csiNodes = new KindTester(csiNode, 'storage.v1', 'CSINode', {}, latestRelease);
const attachments = new KindTester(volumeAttachment, 'storage.v1', 'VolumeAttachment', {}, latestRelease);
const nodes = new KindTester(node, 'core.v1', 'Node', {}, latestRelease);

describe('storage in the latest release', () => {
  const volume = (spec: object) => ({
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  });
  const csi = { driver: 'd.io', volumeHandle: 'h' };

  it('records the time of a phase change of a volume', () => {
    assert.equal(volumes.created(volume({ csi })).status?.lastPhaseTransitionTime, '2020-01-01T00:00:00Z');
  });

  it('has VolumeAttributesClasses for volumes of CSI drivers', () => {
    const cases: [spec: object, errors: string[]][] = [
      [{ csi, volumeAttributesClassName: 'gold' }, []],
      [
        { csi, volumeAttributesClassName: '' },
        ['spec.volumeAttributesClassName: Required value: an empty string is disallowed'],
      ],
      [
        { hostPath: { path: '/x' }, volumeAttributesClassName: 'gold' },
        ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
      ],
    ];
    for (const [spec, errors] of cases) assert.deepEqual(volumes.errors(volume(spec)), errors);
    const cleared = volumes.updateErrors(volume({ csi, volumeAttributesClassName: 'gold' }), volume({ csi }));
    assert.deepEqual(cleared, [
      'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
    ]);
  });

  it('causes warnings for volume types without support', () => {
    assert.deepEqual(volumes.warnings(volume({ cephfs: { monitors: ['a'] } })), [
      'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
    ]);
    const [warning] = volumes.warnings(volume({ hostPath: { path: '/x' }, persistentVolumeReclaimPolicy: 'Recycle' }));
    assert.match(warning ?? '', /^spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated/);
  });

  it('allows a VolumeAttributesClass in claims, and validates their resize status', () => {
    const claim = (spec: object) => ({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    });
    assert.deepEqual(claims.errors(claim({ volumeAttributesClassName: 'gold' })), []);
    assert.match(
      claims.errors(claim({ volumeAttributesClassName: 'A_' })).join(),
      /^spec.volumeAttributesClassName: Inv/,
    );
    const resized = { ...claim({}), status: { allocatedResourceStatuses: { storage: 'NodeResizePending', x: 'y' } } };
    assert.equal(claims.updateErrors(claim({}), resized, 'status').length, 2);
  });

  it('allows most changes of a CSIDriver', () => {
    const driver = (spec: object) => ({ spec });
    assert.equal(drivers.created(driver({})).spec.preventPodSchedulingIfMissing, false);
    assert.deepEqual(drivers.updateErrors(driver({}), driver({ fsGroupPolicy: 'File', podInfoOnMount: true })), []);
    assert.deepEqual(drivers.errors(driver({ seLinuxMount: true, nodeAllocatableUpdatePeriodSeconds: 5 })), [
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds',
    ]);
    assert.match(
      drivers.errors(driver({ serviceAccountTokenInSecrets: true })).join(),
      /no tokenRequests are specified$/,
    );
    assert.equal(drivers.warnings(driver({ tokenRequests: [{ audience: 'a' }] })).length, 1);
    assert.deepEqual(drivers.warnings(driver({})), []);
  });

  it('allows a CSINode to change the number of allocatable volumes', () => {
    const on = (rest: object) => ({ spec: { drivers: [{ name: 'd.io', nodeID: 'i', ...rest }] } });
    assert.deepEqual(csiNodes.updateErrors(on({ allocatable: { count: 1 } }), on({ allocatable: { count: 2 } })), []);
    assert.match(csiNodes.updateErrors(on({}), on({ nodeID: 'j' })).join(), /^spec.drivers: Invalid value/);
  });

  it('refuses negative error codes in a VolumeAttachment', () => {
    const spec = { attacher: 'd.io', nodeName: 'n', source: { persistentVolumeName: 'v' } };
    const status = { attached: false, attachError: { errorCode: -1 } };
    const errors = attachments.updateErrors({ spec }, { spec, status }, 'status');
    assert.ok(
      errors.includes('status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive'),
    );
  });

  it('needs declared features of nodes in sorted order', () => {
    const declaring = (...declaredFeatures: string[]) => ({ status: { declaredFeatures } });
    assert.deepEqual(nodes.errors(declaring('A', 'B')), []);
    assert.deepEqual(nodes.errors(declaring('B', 'A', 'A')), [
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Duplicate value: "A"',
    ]);
  });
});
