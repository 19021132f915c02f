import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { longLists } from '#server/kinds/testing/long-lists.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { Sender } from './send.ts';

/** The length of the lists. A check in quadratic time takes a second or more for it. */
const LENGTH = 6_000;

const naming = createNaming('orch');
const rbac = naming.group('rbac.authorization');
const texts = (length: number, prefix: string) => Array.from({ length }, (_, i) => `${prefix}${i}`);

/** Kinds without a namespace among those of the table. */
const CLUSTER_WIDE = new Set(['StorageClass', 'Node', 'ValidatingWebhookConfiguration', 'RuntimeClass', 'CSINode']);
const CERTIFICATES = 'CertificateSigningRequest';

/** A body for which rules without limits took quadratic time, or ended the process. */
interface Attack {
  readonly what: string;
  readonly as: 'admin' | 'user';
  readonly target: string;
  readonly body: object;
}

function placeOf(version: string, plural: string, kind: string): string {
  const [package_ = '', number = ''] = [version.slice(0, version.lastIndexOf('.')), version.split('.').at(-1)];
  const root = package_ === 'core' ? `/api/${number}` : `/apis/${naming.group(package_)}/${number}`;
  return CLUSTER_WIDE.has(kind) || kind === CERTIFICATES ? `${root}/${plural}` : `${root}/namespaces/default/${plural}`;
}

const OF_KINDS: readonly Attack[] = longLists.flatMap(({ what, kind, body, before, isTable, release }) => {
  if (before !== undefined || isTable === true || release !== undefined) return [];
  const [identity, version, name] = kind;
  const target = `${placeOf(version, identity.split('/').at(-1) ?? '', name)}?dryRun=All`;
  return [{ what, as: 'admin', target, body: { metadata: { name: 'x' }, ...body(LENGTH) } }];
});

const hundred = texts(100, 'x');

const OTHERS: readonly Attack[] = [
  {
    what: 'a role of a few hundred texts that stands for 100 million rights',
    as: 'user',
    target: `/apis/${rbac}/v1/namespaces/default/roles`,
    body: {
      metadata: { name: 'x' },
      rules: [{ verbs: hundred, apiGroups: hundred, resources: hundred, resourceNames: hundred }],
    },
  },
  {
    what: 'the beginnings of blocks in a bundle',
    as: 'admin',
    target: `/apis/${naming.group('certificates')}/v1alpha1/clustertrustbundles`,
    body: { metadata: { name: 'x' }, spec: { trustBundle: '-----BEGIN CERTIFICATE-----\n'.repeat(30_000) } },
  },
  {
    what: 'unknown fields below one long name',
    as: 'admin',
    target: `/apis/${naming.group('apiextensions')}/v1/customresourcedefinitions?fieldValidation=Strict`,
    body: {
      metadata: { name: 'x' },
      spec: {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                properties: {
                  ['x'.repeat(1_000_000)]: Object.fromEntries(texts(60_000, 'u').map((name) => [name, 1])),
                },
              },
            },
          },
        ],
      },
    },
  },
  {
    what: 'references to one owner',
    as: 'admin',
    target: '/api/v1/namespaces/default/configmaps?dryRun=All',
    body: {
      metadata: {
        name: 'x',
        ownerReferences: texts(15_000, 'n').map((name) => ({ apiVersion: 'v1', kind: 'Node', name, uid: 'u' })),
      },
    },
  },
  {
    what: 'managers of fields',
    as: 'admin',
    target: '/api/v1/namespaces/default/configmaps?dryRun=All',
    body: {
      metadata: {
        name: 'x',
        managedFields: texts(7_000, 'm').map((manager) => ({
          manager,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { [`f:${manager}`]: {} } },
        })),
      },
    },
  },
];

describe('long lists', function () {
  this.timeout(600_000);
  const pki = temporaryPki();
  const loopProbe = pki.file('loop.json');
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;
  let sender: Sender;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, { loopProbe });
    const role = {
      metadata: { name: 'makes-roles' },
      rules: [{ verbs: ['create'], apiGroups: [rbac], resources: ['roles'] }],
    };
    const binding = {
      metadata: { name: 'makes-roles' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'makes-roles' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'bob' }],
    };
    assert.equal((await replica.request('POST', `/apis/${rbac}/v1/clusterroles`, role)).status, 201);
    assert.equal((await replica.request('POST', `/apis/${rbac}/v1/clusterrolebindings`, binding)).status, 201);
    sender = new Sender(pki, replica.port);
    // Parts that the server builds at the first request of each kind must not count as costs of lists.
    for (const attack of [...OF_KINDS, ...OTHERS]) await send({ ...attack, body: { metadata: { name: 'x' } } });
    bystander = await Bystander.beside(replica, loopProbe);
  });

  after(async () => {
    sender?.close();
    await replica?.stop();
    await etcd?.stop();
  });

  async function send({ as, target, body }: Attack): Promise<number> {
    const headers = { 'Content-Type': 'application/json' };
    const request = { as, method: 'POST', target, headers, body: Buffer.from(JSON.stringify(body)) } as const;
    return (await sender.send(request)).status;
  }

  for (const attack of [...OF_KINDS, ...OTHERS]) {
    it(`do not block other requests: ${attack.what}`, async () => {
      await bystander.during(attack.what, async () => {
        const status = await send(attack);
        assert.ok(status >= 200 && status < 500, `the answer has status ${status}`);
      });
    });
  }
});
