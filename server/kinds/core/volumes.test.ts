import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { persistentVolume } from './persistent-volume.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';

const volumes = new KindTester(persistentVolume, 'core.v1', 'PersistentVolume');
const claims = new KindTester(persistentVolumeClaim, 'core.v1', 'PersistentVolumeClaim');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

const basics = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const volume = (spec: object) => ({ spec: { ...basics, ...spec } });

describe('a PersistentVolume', () => {
  it('has defaults for reclaim policy, volume mode, phase and its source', () => {
    const { spec, status } = volumes.created(volume({ rbd: { monitors: ['m'], image: 'i' } }));
    assert.deepEqual(status, { phase: 'Pending' });
    assert.deepEqual([spec?.persistentVolumeReclaimPolicy, spec?.volumeMode], ['Retain', 'Filesystem']);
    assert.equal(spec?.rbd?.keyring, '/etc/ceph/keyring');
  });

  it('needs exactly one valid source', () => {
    const cases: [spec: object, fields: string[]][] = [
      [{}, ['spec']],
      [{ hostPath: { path: '/x' } }, []],
      [{ hostPath: { path: '/x' }, nfs: { server: 's', path: '/' } }, ['spec.nfs']],
      [{ hostPath: { path: '/../x' } }, ['spec.hostPath.path']],
      [{ hostPath: { path: '/./' }, persistentVolumeReclaimPolicy: 'Recycle' }, ['spec.persistentVolumeReclaimPolicy']],
      [{ nfs: { server: 's', path: 'p' } }, ['spec.nfs.path']],
      [{ local: { path: '/x' } }, ['spec.nodeAffinity']],
      [{ fc: { targetWWNs: ['w'] } }, ['spec.fc.lun']],
      [{ iscsi: { targetPortal: 'p', iqn: 'odd', lun: 256 } }, ['spec.iscsi.iqn', 'spec.iscsi.lun']],
      [{ azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } }, ['spec.azureDisk.diskURI']],
      [
        { csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 's' } } },
        ['spec.csi.nodePublishSecretRef.namespace'],
      ],
      [
        { csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'A', namespace: 'B' } } },
        ['spec.csi.nodePublishSecretRef.name', 'spec.csi.nodePublishSecretRef.namespace'],
      ],
      [{ gcePersistentDisk: { pdName: 'd', partition: 256 } }, ['spec.persistentDisk.partition']],
      [{ gcePersistentDisk: {} }, ['spec.persistentDisk.pdName']],
      [{ cephfs: {} }, ['spec.cephfs.monitors']],
      [{ hostPath: { path: '/x' }, cephfs: {}, gcePersistentDisk: {} }, ['spec.gcePersistentDisk', 'spec.cephFS']],
      [{ hostPath: { path: '/x' }, flexVolume: { driver: 'd' } }, []],
      [{ flexVolume: { driver: 'Odd Name' } }, []],
      [{ scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: '' } } }, []],
      [{ iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:a', lun: 0, secretRef: { name: 's' } } }, []],
      [
        {
          iscsi: {
            targetPortal: 'p'.repeat(63),
            iqn: 'iqn.2001-04.com.example:a',
            lun: 0,
            initiatorName: 'iqn.2001-04.com.example:b',
          },
        },
        ['spec.iscsi.targetportal'],
      ],
      [{ fc: { targetWWNs: ['w'], wwids: ['i'] } }, ['spec.fc.targetWWNs', 'spec.fc.lun']],
      [{ flocker: { datasetName: 'a/b', datasetUUID: 'u' } }, ['spec.flocker', 'spec.flocker.datasetName']],
      [{ hostPath: { path: '/x' }, capacity: { storage: '0' } }, ['spec.capacity[storage]']],
      [{ hostPath: { path: '/x' }, capacity: { storage: '-1' } }, ['spec.capacity[storage]', 'spec.capacity[storage]']],
    ];
    for (const [spec, expected] of cases) {
      assert.deepEqual(fields(volumes.errors(volume(spec))), expected, JSON.stringify(spec));
    }
  });

  it('has nodeExpandSecretRef only if its gate is enabled', () => {
    const nodeExpandSecretRef = { name: 's', namespace: 'n' };
    const body = volume({ csi: { driver: 'd', volumeHandle: 'h', nodeExpandSecretRef } });
    const gated = new KindTester(persistentVolume, 'core.v1', 'PersistentVolume', { CSINodeExpandSecret: true });
    assert.equal(volumes.created(body).spec?.csi?.nodeExpandSecretRef, undefined);
    assert.deepEqual(gated.created(body).spec?.csi?.nodeExpandSecretRef, nodeExpandSecretRef);
  });

  it('causes a warning for deprecated node labels', () => {
    const old = volumes.naming.key('failure-domain.beta/zone');
    const current = volumes.naming.key('topology/zone');
    const nodeAffinity = {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: old, operator: 'Exists' }] }] },
    };
    assert.deepEqual(volumes.warnings(volume({ hostPath: { path: '/x' }, nodeAffinity })), [
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${old} is deprecated since v1.17; use "${current}" instead`,
    ]);
  });

  it('cannot change its source', () => {
    const old = volume({ csi: { driver: 'd', volumeHandle: 'h' } });
    const secret = { name: 'n', namespace: 'ns' };
    const withSecret = volume({ csi: { driver: 'd', volumeHandle: 'h', controllerExpandSecretRef: secret } });
    assert.deepEqual(volumes.updateErrors(old, withSecret), []);
    const moved = volume({ csi: { driver: 'd', volumeHandle: 'other' } });
    assert.deepEqual(fields(volumes.updateErrors(old, moved)), ['spec.persistentvolumesource']);
  });
});

describe('a PersistentVolumeClaim', () => {
  const claim = (spec: object = {}, phase = 'Pending') => ({
    metadata: { name: 'x', namespace: 'n' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase },
  });
  const size = (storage: string) => ({ resources: { requests: { storage } } });

  it('needs storage and an access mode', () => {
    assert.deepEqual(fields(claims.errors(claim())), []);
    assert.deepEqual(fields(claims.errors({ spec: {} })), ['spec.accessModes', 'spec.resources[storage]']);
    assert.deepEqual(fields(claims.errors(claim(size('0')))), ['spec.resources[storage]']);
    assert.deepEqual(fields(claims.errors(claim({ accessModes: ['ReadWriteOncePod'] }))), ['spec.accessModes']);
    const both = ['ReadWriteOncePod', 'ReadWriteOnce'];
    assert.deepEqual(fields(claims.errors(claim({ accessModes: both }))), ['spec.accessModes', 'spec.accessModes']);
  });

  it('reports errors twice in an update', () => {
    const errors = claims.updateErrors(claim(), claim({ accessModes: ['Odd'] }));
    assert.deepEqual(fields(errors), ['spec.accessModes', 'spec.accessModes', 'spec']);
  });

  it('has the same source in dataSource and dataSourceRef', () => {
    const source = { kind: 'PersistentVolumeClaim', name: 'c' };
    const { spec } = claims.created(claim({ dataSource: source }));
    assert.deepEqual(spec?.dataSourceRef, spec?.dataSource);
    const other = { apiGroup: 'example.com', kind: 'Thing', name: 't' };
    assert.deepEqual(claims.created(claim({ dataSourceRef: other })).spec?.dataSource, other);
  });

  it('can be updated by a client that sends only dataSource', () => {
    const source = { kind: 'PersistentVolumeClaim', name: 'c' };
    const other = { ...source, name: 'd' };
    const stored = claim({ dataSource: source, dataSourceRef: source });
    assert.deepEqual(claims.updateErrors(stored, claim({ dataSource: source })), []);
    assert.deepEqual(claims.updateErrors(stored, claim({ dataSourceRef: source })), []);
    assert.deepEqual(fields(claims.updateErrors(stored, claim({ dataSource: other }))), ['spec']);
  });

  it('can be bound once, and can grow only after that', () => {
    assert.deepEqual(claims.updateErrors(claim(), claim({ volumeName: 'v' })), []);
    assert.deepEqual(fields(claims.updateErrors(claim({ volumeName: 'v' }), claim({ volumeName: 'w' }))), ['spec']);
    assert.deepEqual(fields(claims.updateErrors(claim(), claim(size('2Gi')))), ['spec']);
    const shrunk = fields(claims.updateErrors(claim(), claim(size('512Mi'), 'Bound')));
    assert.deepEqual(shrunk, ['spec.resources.requests.storage']);
    assert.deepEqual(claims.updateErrors(claim(), claim(size('2Gi'), 'Bound')), []);
  });
});
