import assert from 'node:assert/strict';
import { coreV1, storageV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { volumeBinderController } from './volume-binder-controller.ts';

const VOLUMES = coreV1.persistentvolumes;
const CLAIMS = coreV1.persistentvolumeclaims;
const CLASSES = storageV1.storageclasses;
const TYPES = [VOLUMES, CLAIMS, CLASSES, coreV1.pods, coreV1.events];
const namespace = 'v';

/** Volumes and claims as texts: `a 1Gi`, `a 1Gi fast -> v/c`; `c 1Gi`, `c 1Gi fast -> a`. */
function put(server: FakeServer, kind: 'volume' | 'claim', text: string): void {
  const [what = '', to] = text.split(' -> ');
  const [name = '', size = '', storageClassName = ''] = what.split(' ');
  const common = { accessModes: ['ReadWriteOnce'], storageClassName };
  if (kind === 'volume') {
    const [of, claim] = to?.split('/') ?? [];
    const claimRef = claim === undefined ? {} : { claimRef: { namespace: of, name: claim } };
    server.put(VOLUMES, { metadata: { name }, spec: { ...common, capacity: { storage: size }, ...claimRef } } as never);
  } else {
    const spec = {
      ...common,
      resources: { requests: { storage: size } },
      ...(to === undefined ? {} : { volumeName: to }),
    };
    server.put(CLAIMS, { metadata: { name, namespace }, spec, status: { phase: 'Pending' } } as never);
  }
}

/** Waits until the volumes and claims have the wanted states. */
async function become(server: FakeServer, wanted: string[]): Promise<void> {
  const texts = () =>
    [
      ...server.all(VOLUMES).map(({ metadata, spec, status }) => {
        const { name } = spec?.claimRef ?? {};
        return `volume ${metadata.name} ${status?.phase}${name ? ` ${name}` : ''}`;
      }),
      ...server.all(CLAIMS).map(({ metadata, spec, status }) => {
        const { volumeName } = spec ?? {};
        return `claim ${metadata.name} ${status?.phase}${volumeName ? ` ${volumeName}` : ''}`;
      }),
    ].sort();
  await waitUntil(wanted.join(), () => String(texts()) === String(wanted.sort())).catch(() =>
    assert.deepEqual(texts(), wanted),
  );
}

describe('volume binder', () => {
  const cases: [about: string, volumes: string[], claims: string[], result: string[], told?: string][] = [
    ['a free volume', ['a 1Gi'], [], ['volume a Available']],
    ['a claim and a volume', ['a 1Gi'], ['c 1Gi'], ['claim c Bound a', 'volume a Bound c']],
    [
      'the smallest that is large enough',
      ['a 5Gi', 'b 2Gi', 'd 500Mi'],
      ['c 1Gi'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c', 'volume d Available'],
    ],
    [
      'the one of its class',
      ['a 1Gi', 'b 9Gi fast'],
      ['c 1Gi fast'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'the one that waits for it',
      ['a 1Gi', 'b 9Gi -> v/c'],
      ['c 1Gi'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'the one that it names',
      ['a 1Gi', 'b 9Gi'],
      ['c 1Gi -> b'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'none that is kept for another one',
      ['a 1Gi -> v/other'],
      ['c 1Gi'],
      ['claim c Pending', 'volume a Available other'],
      'FailedBinding no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'none of a class that is not there',
      [],
      ['c 1Gi slow'],
      ['claim c Pending'],
      'ProvisioningFailed storageclass.storage.orch.io "slow" not found',
    ],
    [
      'what a provisioner makes',
      [],
      ['c 1Gi made'],
      ['claim c Pending'],
      'ExternalProvisioning waiting for a volume to be created, either by external provisioner "p.example" or manually created by system administrator',
    ],
    [
      'nothing before a pod needs it',
      ['a 1Gi later'],
      ['c 1Gi later'],
      ['claim c Pending', 'volume a Available'],
      'WaitForFirstConsumer waiting for first consumer to be created before binding',
    ],
    ['but one that names the claim', ['a 1Gi later -> v/c'], ['c 1Gi later'], ['claim c Bound a', 'volume a Bound c']],
    [
      'nothing while its pod is on no node',
      ['a 1Gi later'],
      ['used 1Gi later'],
      ['claim used Pending', 'volume a Available'],
      'WaitForPodScheduled waiting for pods p,q to be scheduled',
    ],
    [
      'nothing that a part of the manager would make, which it has not',
      [],
      ['c 1Gi own'],
      ['claim c Pending'],
      'ProvisioningFailed no volume plugin matched name: orch.io/no-provisioner',
    ],
    [
      'nothing that is too small, though it is named',
      ['a 1Gi'],
      ['c 2Gi -> a'],
      ['claim c Pending a', 'volume a Available'],
      'VolumeMismatch Cannot bind to requested volume "a": requested PV is too small',
    ],
  ];
  for (const [about, before, wishes, result, told] of cases)
    it(`binds: ${about}`, async () => {
      const server = new FakeServer(TYPES, { strict: true });
      server.put(CLASSES, { metadata: { name: 'made' }, provisioner: 'p.example' } as never);
      const volumeBindingMode = 'WaitForFirstConsumer';
      server.put(CLASSES, { metadata: { name: 'later' }, provisioner: 'p.example', volumeBindingMode } as never);
      server.put(CLASSES, { metadata: { name: 'own' }, provisioner: 'orch.io/no-provisioner' } as never);
      const volumes = [{ persistentVolumeClaim: { claimName: 'used' } }];
      for (const [name, nodeName] of [['p'], ['q'], ['r', 'on-a-node']])
        server.put(coreV1.pods, { metadata: { name, namespace }, spec: { volumes, nodeName } } as never);
      for (const text of before) put(server, 'volume', text);
      const controller = await startController(volumeBinderController, server);
      // As when volumes have been there for a while.
      await waitUntil('volumes are judged', () => server.all(VOLUMES).every(({ status }) => status?.phase));
      for (const text of wishes) put(server, 'claim', text);
      await become(server, result);
      if (told !== undefined)
        await waitUntil(told, () =>
          server.all(coreV1.events).some(({ reason, message }) => `${reason} ${message}` === told),
        );
      await controller.stop();
    });

  it('gives each of many claims a volume of its own', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    const names = Array.from({ length: 20 }, (_, i) => `x${i}`);
    for (const name of names) put(server, 'volume', `${name} 1Gi`);
    const controller = await startController(volumeBinderController, server);
    for (const name of names) put(server, 'claim', `${name} 1Gi`);
    const bound = () => server.all(CLAIMS).filter(({ status }) => status?.phase === 'Bound');
    await waitUntil('all are bound', () => bound().length === names.length);
    assert.equal(new Set(bound().map(({ spec }) => spec?.volumeName)).size, names.length);
    await controller.stop();
  });

  it('releases the volume of a claim that has gone, and tells of the claim whose volume has', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    for (const name of ['a', 'b']) put(server, 'volume', `${name} 1Gi`);
    const controller = await startController(volumeBinderController, server);
    for (const [name, volume] of [
      ['c', 'a'],
      ['d', 'b'],
    ])
      put(server, 'claim', `${name} 1Gi -> ${volume}`);
    await become(server, ['claim c Bound a', 'claim d Bound b', 'volume a Bound c', 'volume b Bound d']);
    server.remove(CLAIMS, 'c', namespace);
    server.remove(VOLUMES, 'b');
    await become(server, ['claim d Lost b', 'volume a Released c']);
    put(server, 'claim', 'c 1Gi');
    await waitUntil('an event reports it', () =>
      server.all(coreV1.events).some(({ reason }) => reason === 'FailedBinding'),
    );
    await become(server, ['claim c Pending', 'claim d Lost b', 'volume a Released c']);
    await controller.stop();
  });
});

describe('volumes whose claim has gone', () => {
  const claimRef = { namespace, name: 'gone', uid: 'u' };
  const rows: readonly [string, Record<string, unknown>, string | undefined, string?][] = [
    ['are kept', { persistentVolumeReclaimPolicy: 'Retain' }, 'Released'],
    ['are left to who made them', { persistentVolumeReclaimPolicy: 'Delete', by: 'p.example' }, 'Released'],
    [
      'cannot be deleted here',
      { persistentVolumeReclaimPolicy: 'Delete', csi: {} },
      'Failed: error getting deleter volume plugin for volume "a": no deletable volume plugin matched',
      'VolumeFailedDelete',
    ],
    ['are deleted', { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/tmp/x' } }, undefined],
  ];
  for (const [what, { by, ...spec }, after, reason] of rows)
    it(what, async () => {
      const server = new FakeServer(TYPES, { strict: true });
      const annotations = by === undefined ? {} : { 'pv.orch.io/provisioned-by': by };
      const status = { phase: 'Bound' };
      server.put(VOLUMES, { metadata: { name: 'a', annotations }, spec: { ...spec, claimRef }, status } as never);
      const controller = await startController(volumeBinderController, server);
      const text = () =>
        server.all(VOLUMES).map(({ status: now }) => `${now?.phase}${now?.message ? `: ${now.message}` : ''}`)[0];
      await waitUntil(String(after), () => text() === after);
      if (reason !== undefined)
        await waitUntil(reason, () => server.all(coreV1.events).some((event) => event.reason === reason));
      if (after?.startsWith('Failed')) {
        const [failed] = server.all(VOLUMES);
        const { claimRef: _, ...free } = failed!.spec!;
        server.put(VOLUMES, { ...failed, spec: free } as never);
        await waitUntil('it is free again, and says no more why not', () => text() === 'Available');
      }
      await controller.stop();
    });
});

describe('claims that are bound', () => {
  it('keep the size that they were given, and the kinds of access of their volume', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    put(server, 'volume', 'a 1Gi');
    put(server, 'claim', 'c 1Gi -> a');
    const controller = await startController(volumeBinderController, server);
    await become(server, ['claim c Bound a', 'volume a Bound c']);
    const [claim] = server.all(CLAIMS);
    const status = { ...claim!.status, capacity: { storage: '9Gi' }, accessModes: ['ReadOnlyMany'] };
    server.put(CLAIMS, { ...claim, status } as never);
    await waitUntil('the status shows it', () => server.all(CLAIMS)[0]!.status?.accessModes?.[0] === 'ReadWriteOnce');
    assert.deepEqual(server.all(CLAIMS)[0]!.status?.capacity, { storage: '9Gi' });
    await controller.stop();
  });
});

describe('volume binder, with an API server', () => {
  const running = aroundManager([volumeBinderController], '--use-service-account-credentials');

  it('binds a claim, and releases its volume afterwards', async () => {
    const volumes = running.client.resource(VOLUMES);
    const claims = running.client.resource(CLAIMS).in('default');
    const accessModes = ['ReadWriteOnce'];
    await volumes.create({
      metadata: { name: 'a' },
      spec: { accessModes, capacity: { storage: '2Gi' }, hostPath: { path: '/x' } },
    } as never);
    await claims.create({
      metadata: { name: 'c' },
      spec: { accessModes, storageClassName: '', resources: { requests: { storage: '1Gi' } } },
    } as never);
    const bound = async () => (await claims.get('c')).status?.phase === 'Bound';
    await waitUntil('it is bound', bound);
    assert.deepEqual((await claims.get('c')).status?.capacity, { storage: '2Gi' });
    assert.equal((await volumes.get('a')).status?.phase, 'Bound');
    await claims.patch('c', 'merge', { metadata: { finalizers: null } });
    await claims.delete('c');
    await waitUntil('it is released', async () => (await volumes.get('a')).status?.phase === 'Released');
  });
});
