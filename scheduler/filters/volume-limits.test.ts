import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import { answers, label, makeNode, makePod, makeView } from '../testing/objects.ts';
import { devices } from './devices.ts';
import { volumeLimits } from './volume-limits.ts';
import { volumeZone } from './volume-zone.ts';

describe('filters for CSI volumes', () => {
  const onDisk = (name: string): PersistentVolume => ({
    metadata: { name },
    spec: { csi: { driver: 'disks', volumeHandle: `handle-${name}` } },
  });
  const claimOf = (name: string): PersistentVolumeClaim => ({
    metadata: { name, namespace: 'default' },
    spec: { volumeName: name },
  });
  const names = ['v1', 'v2', 'v3'];
  const wish = {
    claims: names.map(claimOf),
    volumes: names.map(onDisk),
    limits: { a: { disks: 2 }, b: { disks: 3 }, c: { others: 0 } },
  };
  const mounting = (name: string, claims: readonly string[], node?: string) =>
    makePod(name, {
      ...(node === undefined ? {} : { node }),
      spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
    });
  const nodes = ['a', 'b', 'c'].map((name) => makeNode(name));
  const full = 'node(s) exceed max volume count';

  it('volumeLimits limits the volumes that a driver attaches to one node', () => {
    const there = ['a', 'b', 'c'].map((node) => mounting(`on-${node}`, ['v1', 'v2'], node));
    const view = makeView(nodes, there, wish);
    assert.deepEqual(answers(volumeLimits, mounting('p', ['v3']), view), { a: full, b: '', c: '' });
    assert.deepEqual(answers(volumeLimits, mounting('p', ['v2']), view), { a: '', b: '', c: '' }, 'is there already');
  });

  it('volumeZone accepts nodes in the zones of the volume', () => {
    const zone = label('topology/zone');
    const volume = { ...onDisk('v1'), metadata: { name: 'v1', labels: { [zone]: 'east__west' } } };
    const placed = ['east', 'north'].map((name) => makeNode(name, { labels: { [zone]: name } }));
    const view = makeView([...placed, makeNode('nowhere')], [], { ...wish, volumes: [volume] });
    assert.deepEqual(answers(volumeZone, mounting('p', ['v1']), view), {
      east: '',
      north: 'final: node(s) had no available volume zone',
      nowhere: '',
    });
  });
});

describe('the filter for devices', () => {
  it('rejects pods with resource claims, because this scheduler does not allocate devices', () => {
    const pod = makePod('p', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'g' }] } });
    assert.equal(
      answers(devices, pod, makeView([makeNode('a')])),
      'this scheduler allocates no devices, and the pod has resource claims: "gpu"',
    );
  });
});
