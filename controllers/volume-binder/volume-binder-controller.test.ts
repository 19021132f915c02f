import assert from 'node:assert/strict';
import { coreV1, storageV1 } from '../../client/generated/resources.ts';
import { FakeServer } from '../../client/testing/fake-server.ts';
import { waitUntil } from '../../client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { volumeBinderController } from './volume-binder-controller.ts';

const VOLUMES = coreV1.persistentvolumes;
const CLAIMS = coreV1.persistentvolumeclaims;
const CLASSES = storageV1.storageclasses;
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

/** What has become of them, once they are so. */
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
  ];
  for (const [about, before, wishes, result, told] of cases)
    it(`binds: ${about}`, async () => {
      const server = new FakeServer([VOLUMES, CLAIMS, CLASSES, coreV1.events], { strict: true });
      server.put(CLASSES, { metadata: { name: 'made' }, provisioner: 'p.example' } as never);
      const volumeBindingMode = 'WaitForFirstConsumer';
      server.put(CLASSES, { metadata: { name: 'later' }, provisioner: 'p.example', volumeBindingMode } as never);
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
    const server = new FakeServer([VOLUMES, CLAIMS, CLASSES, coreV1.events], { strict: true });
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
    const server = new FakeServer([VOLUMES, CLAIMS, CLASSES, coreV1.events], { strict: true });
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
    await waitUntil('it is told', () => server.all(coreV1.events).some(({ reason }) => reason === 'FailedBinding'));
    await become(server, ['claim c Pending', 'claim d Lost b', 'volume a Released c']);
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
