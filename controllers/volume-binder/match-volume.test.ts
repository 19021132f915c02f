import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import { classOf, matchVolume, mismatchOf } from './match-volume.ts';

const CLASS = 'class';

interface Wish {
  readonly size?: string;
  readonly modes?: readonly string[];
  readonly mode?: string;
  readonly of?: string;
  readonly old?: string;
}

const metadataOf = (name: string, { old }: Wish) => ({
  name,
  namespace: 'v',
  ...(old === undefined ? {} : { annotations: { [CLASS]: old } }),
});

const claim = (wish: Wish = {}): PersistentVolumeClaim =>
  ({
    metadata: metadataOf('c', wish),
    spec: {
      accessModes: wish.modes ?? ['ReadWriteOnce'],
      resources: { requests: { storage: wish.size ?? '1Gi' } },
      ...(wish.mode ? { volumeMode: wish.mode } : {}),
      ...(wish.of ? { storageClassName: wish.of } : {}),
    },
  }) as unknown as PersistentVolumeClaim;

const volume = (name: string, wish: Wish & { readonly to?: string; readonly phase?: string } = {}): PersistentVolume =>
  ({
    metadata: metadataOf(name, wish),
    spec: {
      capacity: { storage: wish.size ?? '1Gi' },
      accessModes: wish.modes ?? ['ReadWriteOnce'],
      ...(wish.mode ? { volumeMode: wish.mode } : {}),
      ...(wish.of ? { storageClassName: wish.of } : {}),
      ...(wish.to ? { claimRef: { namespace: 'v', name: wish.to } } : {}),
    },
    status: { phase: wish.phase ?? 'Available' },
  }) as unknown as PersistentVolume;

describe('mismatchOf a volume and a claim', () => {
  const rows: readonly [string, Wish, Wish, string | undefined][] = [
    ['no difference', {}, {}, undefined],
    ['a volume that is too small', { size: '1Gi' }, { size: '1025Mi' }, 'requested PV is too small'],
    ['another volume mode', { mode: 'Block' }, {}, 'incompatible volumeMode'],
    ['the default volume mode matches Filesystem', { mode: 'Filesystem' }, {}, undefined],
    ['an access mode that the volume lacks', { modes: ['ReadOnlyMany'] }, {}, 'incompatible accessMode'],
    ['additional access modes of the volume match', { modes: ['ReadOnlyMany', 'ReadWriteOnce'] }, {}, undefined],
    ['another storage class', { of: 'x' }, { of: 'y' }, 'storageClassName does not match'],
    ['a storage class in the annotation matches', { old: 'x' }, { of: 'x' }, undefined],
    [
      'the annotation has precedence over the field',
      { old: 'y', of: 'x' },
      { of: 'x' },
      'storageClassName does not match',
    ],
  ];
  for (const [what, given, wanted, mismatch] of rows)
    it(what, () => assert.equal(mismatchOf(volume('a', given), claim(wanted), CLASS), mismatch));

  it('a volume that is being deleted', () => {
    const { metadata, ...rest } = volume('a');
    const going = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    assert.equal(mismatchOf(going, claim(), CLASS), 'the volume is marked for deletion "a"');
  });

  it('classOf returns no class for an empty annotation', () =>
    assert.equal(classOf(claim({ old: '', of: 'x' }), CLASS), ''));
});

describe('matchVolume chooses', () => {
  const rwo = 'ReadWriteOnce';
  const rows: readonly [string, PersistentVolume[], Wish, string | undefined][] = [
    ['the smallest volume', [volume('a', { size: '3Gi' }), volume('b', { size: '2Gi' })], {}, 'b'],
    [
      'a volume with fewer access modes before a smaller one',
      [volume('a', { modes: [rwo, 'ReadOnlyMany'] }), volume('b', { size: '2Gi' })],
      {},
      'b',
    ],
    [
      'the smallest volume, even if it is still pending',
      [volume('a', { size: '3Gi' }), volume('b', { phase: 'Pending' })],
      {},
      'b',
    ],
    [
      'no volume that another claim has used',
      [volume('a', { phase: 'Released' }), volume('b', { phase: 'Failed' })],
      {},
      undefined,
    ],
    ['the volume that names the claim', [volume('a'), volume('b', { size: '9Gi', to: 'c' })], {}, 'b'],
    ['the volume that names the claim, even with another class', [volume('a', { of: 'x', to: 'c' })], {}, 'a'],
    ['no volume that names the claim but is too small', [volume('a', { to: 'c' })], { size: '2Gi' }, undefined],
    ['no volume that names another claim', [volume('a', { to: 'd' })], {}, undefined],
  ];
  for (const [what, volumes, wish, name] of rows)
    it(what, () => assert.equal(matchVolume(claim(wish), volumes, CLASS)?.metadata.name, name));
});
