import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { naming, podWith, requestOf, surroundings, trying } from '../testing/try-plugin.ts';
import { serviceAccount } from './service-account.ts';

const account = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'ns' }, ...more });
const mirror = { annotations: { [naming.key('config.mirror')]: 'x' } };
const strict = {
  metadata: { name: 'strict', namespace: 'ns', annotations: { [naming.key('enforce-mountable-secrets')]: 'true' } },
  secrets: [{ name: 'own' }],
  imagePullSecrets: [{ name: 'pull' }],
};
const objects = {
  '/serviceaccounts': [account('default'), account('silent', { automountServiceAccountToken: false }), strict],
};
const attempt = trying(serviceAccount, { objects });
const env = (secret: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }];
const because = 'is not allowed because service account strict does not reference that';

const refusals: readonly [string, object, string][] = [
  [
    'an unknown account',
    podWith({ serviceAccountName: 'ghost' }),
    'error looking up service account ns/ghost: serviceaccount "ghost" not found',
  ],
  [
    'a mirror pod with an account',
    podWith({ serviceAccountName: 'default' }, mirror),
    'a mirror pod may not reference service accounts',
  ],
  [
    'a mirror pod with secrets',
    podWith({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, mirror),
    'a mirror pod may not reference secrets',
  ],
  [
    'a mirror pod with tokens',
    podWith({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }, mirror),
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
  [
    'a volume of another secret',
    podWith({ serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
    `volume with secret.secretName="other" ${because} secret`,
  ],
  [
    'a variable from another secret',
    podWith({ serviceAccountName: 'strict', containers: [{ name: 'c', env: env('other') }] }),
    `container c with envVar E referencing secret.secretName="other" ${because} secret`,
  ],
  [
    'another pull secret',
    podWith({ serviceAccountName: 'strict', imagePullSecrets: [{ name: 'other' }] }),
    `imagePullSecrets[0].name="other" ${because} imagePullSecret`,
  ],
  ['its own secret', podWith({ serviceAccountName: 'strict', containers: [{ name: 'c', env: env('own') }] }), ''],
];

describe('ServiceAccount', () => {
  for (const [what, object, expected] of refusals) {
    it(`${expected === '' ? 'admits' : 'refuses'} ${what}`, async () => {
      assert.equal((await attempt({ object })).refused, expected);
    });
  }

  it('mounts a token of the default account', async () => {
    const { object } = await attempt({ object: podWith() });
    const [volume] = object.spec.volumes;
    assert.match(volume.name.replace(naming.prefixed('api-access-'), ''), /^[a-z0-9]{5}$/);
    assert.deepEqual(
      volume.projected.sources.map((source: object) => Object.keys(source)[0]),
      ['serviceAccountToken', 'configMap', 'downwardAPI'],
    );
    const mountPath = `/var/run/secrets/${naming.domain()}/serviceaccount`;
    assert.deepEqual(object.spec.containers[0].volumeMounts, [{ name: volume.name, readOnly: true, mountPath }]);
    assert.equal(object.spec.serviceAccountName, 'default');
    assert.equal(object.spec.serviceAccount, 'default');
  });

  it('makes no more changes when it runs again', async () => {
    const { object } = await attempt({ object: podWith() });
    assert.deepEqual((await attempt({ object })).object, object);
  });

  it('mounts no token if the pod, or else the account, disables automounting', async () => {
    const silent = await attempt({ object: podWith({ serviceAccountName: 'silent' }) });
    assert.equal(silent.object.spec.volumes, undefined);
    const wanted = podWith({ serviceAccountName: 'silent', automountServiceAccountToken: true });
    assert.equal((await attempt({ object: wanted })).object.spec.volumes.length, 1);
  });

  it('copies the pull secrets of the account to pods without pull secrets', async () => {
    const { object } = await attempt({ object: podWith({ serviceAccountName: 'strict' }) });
    assert.deepEqual(object.spec.imagePullSecrets, [{ name: 'pull' }]);
  });

  it('waits for the default account, which is created soon after its namespace', async () => {
    const accounts: object[] = [];
    const late = trying(serviceAccount, { objects: { '/serviceaccounts': accounts } });
    const outcome = late({ object: podWith() });
    await sleep(20);
    accounts.push(account('default'));
    assert.equal((await outcome).refused, '');
  });

  it('refuses during mutation, before the pod is validated', async () => {
    const plugin = serviceAccount(surroundings({ objects }));
    const request = requestOf({ object: podWith({ serviceAccountName: 'strict', imagePullSecrets: [{ name: 'x' }] }) });
    await assert.rejects(async () => plugin.mutate!(request), /imagePullSecrets\[0\]/);
  });

  it('checks ephemeral containers that are added, and nothing else of their pod', async () => {
    const ephemeralContainers = [{ name: 'e', env: env('other') }];
    const rest = { volumes: [{ name: 'v', secret: { secretName: 'other' } }], serviceAccountName: 'strict' };
    const about = { operation: 'UPDATE', subresource: 'ephemeralcontainers' } as const;
    const fine = podWith({ ...rest, ephemeralContainers: [{ name: 'e', env: env('own') }] }, mirror);
    assert.equal((await attempt({ ...about, object: fine })).refused, '');
    assert.equal((await attempt({ ...about, object: podWith({ ephemeralContainers }, mirror) })).refused, '');
    const object = podWith({ ...rest, ephemeralContainers });
    const { refused } = await attempt({ ...about, object });
    assert.equal(
      refused,
      `ephemeral container e with envVar E referencing secret.secretName="other" ${because} secret`,
    );
  });
});
