import assert from 'node:assert/strict';
import { type Conversations, is, lacks, type Says } from '../conversation.ts';
import { map, NS } from './access-requests.ts';

const POD = {
  spec: {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
  },
};

const pod = (name: string, spec: object = {}): { body: object } => ({
  body: { metadata: { name }, spec: { ...POD.spec, ...spec } },
});

const MOUNT = '/var/run/secrets/orch.io/serviceaccount';

const projected =
  (path: string, wanted: unknown): Says =>
  ({ json, text }) => {
    const volume = json.spec.volumes.find(({ name }: { name: string }) => name.startsWith('orch-api-access-'));
    assert.deepEqual(
      path.split('.').reduce((from, step) => from?.[step], volume.projected),
      wanted,
      text,
    );
  };

export const ACCOUNTS: Conversations = {
  'a pod without a service account gets the account default': [
    [`POST ${NS}/serviceaccounts`, 201, [], map('default')],
    [`POST ${NS}/pods`, 201, is('spec.serviceAccountName', 'default'), pod('p')],
  ],
  'a pod with a missing service account is refused': [
    [`POST ${NS}/pods`, 403, 'serviceaccount \\"ghost\\" not found', pod('g', { serviceAccountName: 'ghost' })],
  ],
  'a pod gets a volume with a service account token': [
    [`GET ${NS}/pods/p`, 200, ({ json }) => assert.match(json.spec.volumes[0].name, /^orch-api-access-[a-z0-9]{5}$/)],
  ],
  'the token volume is mounted in all containers': [
    [
      `GET ${NS}/pods/p`,
      200,
      ({ json }) =>
        assert.deepEqual(
          json.spec.containers.map(
            ({ volumeMounts }: { volumeMounts: { mountPath: string }[] }) => volumeMounts[0]!.mountPath,
          ),
          [MOUNT, MOUNT],
        ),
    ],
  ],
  'a pod gets no token volume if the pod or its account disables it': [
    [`POST ${NS}/pods`, 201, lacks('orch-api-access'), pod('without', { automountServiceAccountToken: false })],
    [
      `POST ${NS}/serviceaccounts`,
      201,
      [],
      { body: { metadata: { name: 'closed' }, automountServiceAccountToken: false } },
    ],
    [`POST ${NS}/pods`, 201, lacks('orch-api-access'), pod('closed', { serviceAccountName: 'closed' })],
  ],
  'a pod without pull secrets gets those of its service account': [
    [
      `POST ${NS}/serviceaccounts`,
      201,
      [],
      { body: { metadata: { name: 'pulls' }, imagePullSecrets: [{ name: 'registry' }] } },
    ],
    [
      `POST ${NS}/pods`,
      201,
      is('spec.imagePullSecrets', [{ name: 'registry' }]),
      pod('pulls', { serviceAccountName: 'pulls' }),
    ],
    [
      `POST ${NS}/pods`,
      201,
      is('spec.imagePullSecrets', [{ name: 'own' }]),
      pod('own', { serviceAccountName: 'pulls', imagePullSecrets: [{ name: 'own' }] }),
    ],
  ],
  'the token volume is projected with the mode 420': [[`GET ${NS}/pods/p`, 200, projected('defaultMode', 420)]],
  'the token lasts 3607 seconds and has the path token': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.0', { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }),
    ],
  ],
  'the CA bundle is a config map at the path ca.crt': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.1', { configMap: { name: 'orch-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }),
    ],
  ],
  'the namespace is a field of the pod at the path namespace': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.2', {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      }),
    ],
  ],
  'a token request gives a signed JWT': [
    [
      `POST ${NS}/serviceaccounts/default/token`,
      201,
      ({ json }) => assert.match(json.status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/),
      { body: { spec: {} } },
    ],
  ],
};
