import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';

const classes = new KindTester(storageClass, 'storage.v1', 'StorageClass');
const drivers = new KindTester(csiDriver, 'storage.v1', 'CSIDriver');
const nodes = new KindTester(csiNode, 'storage.v1', 'CSINode');
const attachments = new KindTester(volumeAttachment, 'storage.v1', 'VolumeAttachment');
const capacities = new KindTester(csiStorageCapacity, 'storage.v1beta1', 'CSIStorageCapacity');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('a StorageClass', () => {
  it('has reclaim policy Delete and binding mode Immediate by default', () => {
    const { reclaimPolicy, volumeBindingMode } = classes.created({ provisioner: 'p' });
    assert.deepEqual([reclaimPolicy, volumeBindingMode], ['Delete', 'Immediate']);
  });

  it('cannot have duplicate topologies', () => {
    const term = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'z', values }] });
    const errors = (...allowedTopologies: object[]) => fields(classes.errors({ provisioner: 'p', allowedTopologies }));
    assert.deepEqual(errors(term('a'), term('b')), []);
    assert.deepEqual(errors(term('a', 'b'), term('b', 'a')), ['allowedTopologies[1].matchLabelExpressions']);
    assert.deepEqual(errors({}), ['allowedTopologies[0].matchLabelExpressions']);
    const third = 'allowedTopologies[2].matchLabelExpressions';
    const repeated = ['allowedTopologies[1].matchLabelExpressions', third, third];
    assert.deepEqual(errors(term('a'), term('a'), term('a')), repeated);
    const second = 'allowedTopologies[1].matchLabelExpressions';
    assert.deepEqual(errors(term('a'), {}), [second, second]);
  });

  it('cannot change its provisioner, parameters or binding mode', () => {
    const changed = { provisioner: 'q', parameters: { a: 'b' }, volumeBindingMode: 'WaitForFirstConsumer' };
    const errors = fields(classes.updateErrors({ provisioner: 'p' }, changed));
    assert.deepEqual(errors, ['parameters', 'provisioner', 'volumeBindingMode']);
  });
});

describe('a CSIDriver', () => {
  it('reports errors of all fields, then of immutable fields, then of its token requests again', () => {
    const tokenRequests = [{ audience: 'a', expirationSeconds: 1 }];
    const errors = drivers.updateErrors({ spec: {} }, { spec: { tokenRequests, fsGroupPolicy: 'Odd' } });
    const whole = ['spec.fsGroupPolicy', 'spec.tokenRequests[0].expirationSeconds'];
    assert.deepEqual(fields(errors), [...whole, ...whole]);
  });

  it('has defaults for all fields, and gated fields only if their gate is enabled', () => {
    const gated = new KindTester(csiDriver, 'storage.v1', 'CSIDriver', { SELinuxMountReadWriteOncePod: true });
    assert.deepEqual(drivers.created({ spec: { seLinuxMount: true } }).spec, {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
    });
    assert.equal(gated.created({ spec: {} }).spec.seLinuxMount, false);
  });

  it('can request one token for each audience', () => {
    const errors = (...tokenRequests: object[]) => fields(drivers.errors({ spec: { tokenRequests } }));
    assert.deepEqual(errors({ audience: 'a', expirationSeconds: 600 }, { audience: '' }), []);
    assert.deepEqual(errors({}, {}), ['spec.tokenRequests[1].audience']);
    assert.deepEqual(errors({ expirationSeconds: 599 }), ['spec.tokenRequests[0].expirationSeconds']);
  });

  it('can be registered once in a CSINode, and then cannot change', () => {
    const spec = (nodeID: string, ...more: object[]) => ({ spec: { drivers: [{ name: 'd', nodeID }, ...more] } });
    assert.deepEqual(fields(nodes.errors(spec('n', { name: 'd', nodeID: 'm' }))), ['spec.drivers[1].name']);
    assert.match(nodes.errors(spec('n', { name: 'd'.repeat(64), nodeID: 'm' })).join(), /\.name: Too long: /);
    assert.deepEqual(nodes.errors(spec('n'.repeat(256))), []);
    assert.deepEqual(fields(nodes.errors(spec('n'.repeat(257)))), ['spec.drivers[0].nodeID']);
    assert.deepEqual(nodes.updateErrors(spec('n'), spec('n', { name: 'e', nodeID: 'm' })), []);
    const bounded = { spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: {} }] } };
    assert.deepEqual(fields(nodes.updateErrors(spec('n'), bounded)), ['CSINodeDriver']);
    const odd = { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['a b', 'c'] }] } };
    assert.match(nodes.errors(odd).join(), /^spec\.drivers\[0\]: Invalid value: "a b": /);
    assert.deepEqual(fields(nodes.updateErrors(spec('n'), spec('m'))), ['CSINodeDriver']);
  });
});

describe('a VolumeAttachment', () => {
  it('needs either a volume name or an inline volume', () => {
    const errors = (source: object) => fields(attachments.errors({ spec: { attacher: 'a', nodeName: 'n', source } }));
    assert.deepEqual(errors({ persistentVolumeName: 'p' }), []);
    assert.deepEqual(errors({}), ['spec.source']);
    const inlineVolumeSpec = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } };
    assert.deepEqual(errors({ inlineVolumeSpec }), []);
    assert.deepEqual(errors({ inlineVolumeSpec, persistentVolumeName: 'p' }), ['spec.source']);
  });

  it('has a limited error message in its status', () => {
    const body = { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } };
    const status = { attached: true, attachError: { message: 'x'.repeat(1025) } };
    assert.deepEqual(attachments.updateErrors(body, { ...body, status: { attached: true } }, 'status'), []);
    const errors = fields(attachments.updateErrors(body, { ...body, status }, 'status'));
    assert.deepEqual(errors, ['status.attachError.message', 'status.attachError.message']);
    const unnamed = { ...body, status: { attached: true, attachmentMetadata: { '': 'x' } } };
    assert.deepEqual(attachments.updateErrors(body, unnamed, 'status'), []);
  });

  it('cannot have node affinity in an inline volume', () => {
    const csi = { driver: 'd', volumeHandle: 'h' };
    const nodeAffinity = { required: { nodeSelectorTerms: [] } };
    const source = { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi, nodeAffinity } };
    const errors = fields(attachments.errors({ spec: { attacher: 'a', nodeName: 'n', source } }));
    assert.deepEqual(errors, ['spec.source.inlineVolumeSpec.nodeAffinity']);
  });

  it('cannot change its spec', () => {
    const spec = (nodeName: string) => ({ spec: { attacher: 'a', nodeName, source: { persistentVolumeName: 'p' } } });
    assert.deepEqual(fields(attachments.updateErrors(spec('n'), spec('m'))), ['spec']);
  });
});

describe('a CSIStorageCapacity', () => {
  it('reports errors of a new object twice', () => {
    assert.deepEqual(fields(capacities.errors({ storageClassName: 'c', capacity: '-1' })), ['capacity', 'capacity']);
  });

  it('causes a warning for deprecated node labels', () => {
    const [old, current] = [capacities.naming.key('beta/os'), capacities.naming.key('os')];
    const nodeTopology = { matchLabels: { [old]: 'x' }, matchExpressions: [{ key: old, operator: 'Exists' }] };
    assert.deepEqual(capacities.warnings({ storageClassName: 'c', nodeTopology }), [
      `nodeTopology.matchExpressions[0].key: ${old} is deprecated since v1.14; use "${current}" instead`,
      `nodeTopology.matchLabels.${old}: deprecated since v1.14; use "${current}" instead`,
    ]);
  });

  it('treats no node topology and an empty one as different', () => {
    const errors = capacities.updateErrors({ storageClassName: 'c' }, { storageClassName: 'c', nodeTopology: {} });
    assert.deepEqual(fields(errors), ['nodeTopology']);
  });
});
