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

/** Volumes and claims as texts: `a 1Gi`, `a 1Gi fast -> v/c`, and `c 1Gi`, `c 1Gi fast -> a`. */
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

describe('volume binder controller', () => {
  const cases: [about: string, volumes: string[], claims: string[], result: string[], told?: string][] = [
    ['a volume without a claim is available', ['a 1Gi'], [], ['volume a Available']],
    ['a claim and a volume are bound', ['a 1Gi'], ['c 1Gi'], ['claim c Bound a', 'volume a Bound c']],
    [
      'the smallest volume that is large enough',
      ['a 5Gi', 'b 2Gi', 'd 500Mi'],
      ['c 1Gi'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c', 'volume d Available'],
    ],
    [
      'a volume of the same storage class',
      ['a 1Gi', 'b 9Gi fast'],
      ['c 1Gi fast'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'a volume that names the claim in its claimRef',
      ['a 1Gi', 'b 9Gi -> v/c'],
      ['c 1Gi'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'the volume that the claim names',
      ['a 1Gi', 'b 9Gi'],
      ['c 1Gi -> b'],
      ['claim c Bound b', 'volume a Available', 'volume b Bound c'],
    ],
    [
      'no volume whose claimRef names another claim',
      ['a 1Gi -> v/other'],
      ['c 1Gi'],
      ['claim c Pending', 'volume a Available other'],
      'FailedBinding no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'no volume for an unknown storage class',
      [],
      ['c 1Gi slow'],
      ['claim c Pending'],
      'ProvisioningFailed storageclass.storage.orch.io "slow" not found',
    ],
    [
      'a provisioner must create the volume',
      [],
      ['c 1Gi made'],
      ['claim c Pending'],
      'ExternalProvisioning waiting for a volume to be created, either by external provisioner "p.example" or manually created by system administrator',
    ],
    [
      'WaitForFirstConsumer waits for a pod',
      ['a 1Gi later'],
      ['c 1Gi later'],
      ['claim c Pending', 'volume a Available'],
      'WaitForFirstConsumer waiting for first consumer to be created before binding',
    ],
    [
      'WaitForFirstConsumer binds a volume that names the claim at once',
      ['a 1Gi later -> v/c'],
      ['c 1Gi later'],
      ['claim c Bound a', 'volume a Bound c'],
    ],
    [
      'WaitForFirstConsumer waits until the pod has a node',
      ['a 1Gi later'],
      ['used 1Gi later'],
      ['claim used Pending', 'volume a Available'],
      'WaitForPodScheduled waiting for pods p,q to be scheduled',
    ],
    [
      'no volume if the provisioner is a missing volume plug-in',
      [],
      ['c 1Gi own'],
      ['claim c Pending'],
      'ProvisioningFailed no volume plugin matched name: orch.io/no-provisioner',
    ],
    [
      'no volume that is too small, even if the claim names it',
      ['a 1Gi'],
      ['c 2Gi -> a'],
      ['claim c Pending a', 'volume a Available'],
      'VolumeMismatch Cannot bind to requested volume "a": requested PV is too small',
    ],
  ];
  for (const [about, before, wishes, result, told] of cases)
    it(`binding: ${about}`, async () => {
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
      // The volumes have existed for a while.
      await waitUntil('volumes are judged', () => server.all(VOLUMES).every(({ status }) => status?.phase));
      for (const text of wishes) put(server, 'claim', text);
      await become(server, result);
      if (told !== undefined)
        await waitUntil(told, () =>
          server.all(coreV1.events).some(({ reason, message }) => `${reason} ${message}` === told),
        );
      await controller.stop();
    });

  it('binds each of many claims to a different volume', async () => {
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

  it('releases the volume of a deleted claim, and marks the claim of a deleted volume as lost', async () => {
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

describe('volumes of a deleted claim', () => {
  const claimRef = { namespace, name: 'gone', uid: 'u' };
  const rows: readonly [string, Record<string, unknown>, string | undefined, string?][] = [
    ['are kept with the policy Retain', { persistentVolumeReclaimPolicy: 'Retain' }, 'Released'],
    [
      'are left for their external provisioner to delete',
      { persistentVolumeReclaimPolicy: 'Delete', by: 'p.example' },
      'Released',
    ],
    [
      'fail if no plug-in can delete them',
      { persistentVolumeReclaimPolicy: 'Delete', csi: {} },
      'Failed: error getting deleter volume plugin for volume "a": no deletable volume plugin matched',
      'VolumeFailedDelete',
    ],
    [
      'are deleted with the policy Delete',
      { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/tmp/x' } },
      undefined,
    ],
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

describe('bound claims', () => {
  it('keep their capacity and take the access modes of their volume', async () => {
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

describe('volume binder controller, with an API server', () => {
  const running = aroundManager([volumeBinderController], '--use-service-account-credentials');

  it('binds a claim and releases its volume after the claim is deleted', async () => {
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
