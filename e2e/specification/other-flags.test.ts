import assert from 'node:assert/strict';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Conversations, converse, is, names, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces';
const MAPS = `${NS}/default/configmaps`;
const HOOKS = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations';
const named = (name: string) => ({ body: { metadata: { name } } });

describe('the specification: a server with other flags', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;
  const start = (...flags: string[]) => {
    before(async () => {
      replica = await startReplica(etcd.endpoint, ...flags);
    });
    after(() => replica.stop());
  };
  before(async () => {
    etcd = await startBootstrappedEtcd();
  });
  after(() => etcd.stop());

  describe('with additional admission plug-ins', () => {
    start('--enable-admission-plugins=AlwaysAdmit,NamespaceAutoProvision,PersistentVolumeLabel');

    const zone = { key: 'topology.orch.io/zone', operator: 'In', values: ['a'] };
    const region = { key: 'topology.orch.io/region', operator: 'In', values: ['r'] };
    const PLUGINS: Conversations = {
      'NamespaceAutoProvision makes a namespace at its first use': [
        [`POST ${NS}/fresh/configmaps`, 201, [], named('a')],
        [`GET ${NS}/fresh`, 200, is('status.phase', 'Active')],
      ],
      'AlwaysAdmit refuses nothing': [[`POST ${MAPS}`, 201, [], named('admitted')]],
      'PersistentVolumeLabel labels volumes with region and zone': [
        [
          'POST /api/v1/persistentvolumes',
          201,
          is('metadata.labels', { 'topology.orch.io/region': 'r', 'topology.orch.io/zone': 'a' }),
          {
            body: {
              metadata: { name: 'v' },
              spec: {
                capacity: { storage: '1Gi' },
                accessModes: ['ReadWriteOnce'],
                hostPath: { path: '/x' },
                nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [zone, region] }] } },
              },
            },
          },
        ],
      ],
    };
    converse(() => replica, PLUGINS);
  });

  describe('with disabled features and versions', () => {
    start(
      '--enable-admission-plugins=NamespaceExists',
      '--disable-admission-plugins=NamespaceLifecycle',
      '--feature-gates=APIListChunking=false',
      '--runtime-config=batch/v1=false,apps/v1/daemonsets=false,networking.orch.io/v1alpha1',
    );
    before(async () => {
      // This is an object that an earlier release could store. One of its webhooks does not state the side effects of a
      // call.
      const store = createEtcdStore({ endpoints: [etcd.endpoint] });
      const value = JSON.stringify({
        kind: 'ValidatingWebhookConfiguration',
        apiVersion: 'admissionregistration.orch.io/v1',
        metadata: { name: 'old', uid: 'old' },
        webhooks: [
          {
            name: 'old.example.com',
            clientConfig: { url: 'https://127.0.0.1:1' },
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
            sideEffects: 'Some',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
          },
        ],
      });
      const key = '/registry/admissionregistration/validatingwebhookconfigurations/old';
      await store.transact([{ key, revision: 0 }], [{ key, value: Buffer.from(value) }]);
      await store.close();
    });

    const PAGED = `${NS}/default/podtemplates`;
    const template = (name: string): Turn => [
      `POST ${PAGED}`,
      201,
      [],
      { body: { metadata: { name }, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
    ];
    const FLAGS: Conversations = {
      'NamespaceExists refuses requests of a missing namespace': [
        [`POST ${NS}/nosuch/configmaps`, 404, 'namespaces \\"nosuch\\" not found', named('a')],
      ],
      'without the gate APIListChunking there are no pages': [
        template('a'),
        template('b'),
        [`GET ${PAGED}?limit=1`, 200, [names('a', 'b'), is('metadata.continue', undefined)]],
      ],
      'a trial fails where a webhook does not say that it can take it': [
        [`GET ${HOOKS}/old`, 200, is('webhooks.0.sideEffects', 'Some')],
        [`POST ${NS}/default/secrets?dryRun=All`, 400, 'does not support dry run', named('s')],
        [`POST ${NS}/default/secrets`, 201, [], named('s')],
      ],
      'runtime-config takes a version out of service': [
        ['GET /apis/batch/v1', 404],
        ['GET /apis/batch/v1/jobs', 404],
      ],
      'runtime-config takes a resource out of service': [
        ['GET /apis/apps/v1/daemonsets', 404],
        ['GET /apis/apps/v1/deployments', 200],
      ],
      'runtime-config puts a version into service, where no value means true': [
        ['GET /apis/networking.orch.io/v1alpha1/clustercidrs', 200],
      ],
    };
    converse(() => replica, FLAGS);
  });

  it('objects of disabled versions are kept', async () => {
    const other = await startReplica(etcd.endpoint);
    assert.equal((await other.call('GET', '/apis/batch/v1/jobs')).status, 200);
    await other.stop();
  });
});
