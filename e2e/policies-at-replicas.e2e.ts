import assert from 'node:assert/strict';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { type SlowLink, startSlowLink } from './slow-link.ts';

const POLICIES = '/apis/admissionregistration.orch.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const ROUNDS = 5;
/** The time in milliseconds by which the second replica gets changes later than the first one acknowledges them. */
const DELAY_MS = 30;

const resourceRules = [
  { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];
const matchConditions = [{ name: 'not-a-parameter', expression: "!object.metadata.name.startsWith('param')" }];

/** An object of the group in the form that a client sends. */
const admission = (kind: string, name: string, spec: object) => ({
  apiVersion: 'admissionregistration.orch.io/v1',
  kind,
  metadata: { name },
  spec,
});
const map = (name: string, data: object, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

describe('policies at two replicas', function () {
  this.timeout(120_000);
  const pki = temporaryPki();
  let etcd: EtcdProcess;
  let link: SlowLink;
  let one: Replica;
  let other: Replica;

  before(async () => {
    etcd = await EtcdProcess.start();
    const flags = ['--emulated-version=1.37'];
    one = await startReplica(pki, etcd.endpoint, { flags });
    link = await startSlowLink(etcd.endpoint, DELAY_MS);
    other = await startReplica(pki, link.endpoint, { flags });
  });

  after(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await link?.stop();
    await etcd?.stop();
  });

  /** The answer of the first replica, which must be an acknowledgement. */
  async function acknowledged(method: string, path: string, body?: object) {
    const { status, body: text } = await one.request(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  /** Changes an object through the first replica. */
  async function change(path: string, by: (object: { spec: never; data: never }) => object): Promise<void> {
    const object = await acknowledged('GET', path);
    await acknowledged('PUT', path, { ...object, ...by(object) });
  }

  /** The status of a write through the second replica, with the object or the refusal. */
  async function decided(method: string, path: string, body: object) {
    const { status, body: text } = await other.request(method, path, body);
    return { ...(JSON.parse(text) as { message?: string; data?: Record<string, string> }), status };
  }

  it('apply to the next request at each replica', async () => {
    const path = `${POLICIES}/validatingadmissionpolicies`;
    const bindings = `${POLICIES}/validatingadmissionpolicybindings`;
    const rule = (round: number) => ({
      matchConstraints: { resourceRules },
      validations: [{ expression: `object.data.round == '${round}'`, message: `not of round ${round}` }],
    });
    const binding = admission('ValidatingAdmissionPolicyBinding', 'rounds', {
      policyName: 'rounds',
      validationActions: ['Deny'],
    });
    await acknowledged('POST', path, admission('ValidatingAdmissionPolicy', 'rounds', rule(-1)));
    for (let round = 0; round < ROUNDS; round++) {
      await acknowledged('POST', bindings, binding);
      const early = await decided('POST', MAPS, map(`early-${round}`, { round: String(round) }));
      assert.deepEqual([early.status, early.message?.split(': ').at(-1)], [422, `not of round ${round - 1}`]);

      await change(`${path}/rounds`, () => ({ spec: rule(round) }));
      const late = await decided('POST', MAPS, map(`late-${round}`, { round: String(round - 1) }));
      assert.deepEqual([late.status, late.message?.split(': ').at(-1)], [422, `not of round ${round}`]);
      const right = await decided('POST', `${MAPS}?dryRun=All`, map(`right-${round}`, { round: String(round) }));
      assert.equal(right.status, 201, right.message);

      await acknowledged('DELETE', `${bindings}/rounds`);
      const free = await decided('POST', MAPS, map(`free-${round}`, { round: 'any' }));
      assert.equal(free.status, 201, free.message);
      const same = await decided('PUT', `${MAPS}/free-${round}`, map(`free-${round}`, { round: 'other' }));
      assert.equal(same.status, 200, same.message);
    }
    await acknowledged('DELETE', `${path}/rounds`);
  });

  for (const [about, paramRef] of [
    ['a name', { name: 'param', namespace: 'default' }],
    ['labels', { selector: { matchLabels: { is: 'param' } }, namespace: 'default' }],
  ] as const)
    it(`apply parameters selected by ${about} to the next request`, async () => {
      const path = `${POLICIES}/mutatingadmissionpolicies`;
      const spec = {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules },
        matchConditions,
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: "Object{data: {'of': params.data.of}}" },
          },
        ],
        reinvocationPolicy: 'Never',
      };
      await acknowledged('POST', path, admission('MutatingAdmissionPolicy', 'params', spec));
      const use = { policyName: 'params', paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' } };
      const bindings = `${POLICIES}/mutatingadmissionpolicybindings`;
      await acknowledged('POST', bindings, admission('MutatingAdmissionPolicyBinding', 'params', use));
      const name = about.replace(' ', '-');
      for (let round = 0; round < ROUNDS; round++) {
        await acknowledged('POST', MAPS, map('param', { of: `new ${round}` }, { is: 'param' }));
        const first = await decided('POST', MAPS, map(`${name}-${round}`, {}));
        assert.deepEqual([first.status, first.data], [201, { of: `new ${round}` }], first.message);

        await change(`${MAPS}/param`, () => ({ data: { of: `changed ${round}` } }));
        const second = await decided('PUT', `${MAPS}/${name}-${round}`, map(`${name}-${round}`, {}));
        assert.deepEqual([second.status, second.data], [200, { of: `changed ${round}` }], second.message);

        await acknowledged('DELETE', `${MAPS}/param`);
        const third = await decided('PUT', `${MAPS}/${name}-${round}`, map(`${name}-${round}`, { own: 'yes' }));
        assert.deepEqual([third.status, third.data], [200, { own: 'yes' }], third.message);
      }
      await acknowledged('DELETE', `${bindings}/params`);
      await acknowledged('DELETE', `${path}/params`);
    });
});
