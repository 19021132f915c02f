import assert from 'node:assert/strict';
import { Discovered, type DiscoveredType } from '#client/discovery/discovered.ts';
import { discover } from '#client/discovery/discovery.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import { aroundLaterManager } from '../testing/around-manager.ts';
import { type DocumentSchema, DocumentTypes } from './document-types.ts';
import { expressionWarnings } from './expression-warnings.ts';
import { matchedKinds } from './matched-kinds.ts';
import { policyStatusController } from './policy-status-controller.ts';

const kindOf = (kind: string) => [{ group: 'g', version: 'v1', kind }];
const schemas: Record<string, DocumentSchema> = {
  Thing: {
    'x-kinds': kindOf('Thing'),
    type: 'object',
    properties: {
      spec: { allOf: [{ $ref: '#/components/schemas/Spec' }], default: {} },
      metadata: {
        type: 'object',
        properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
      },
      list: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
      tree: { $ref: '#/components/schemas/Thing' },
    },
  },
  Spec: {
    type: 'object',
    properties: {
      count: { type: 'integer' },
      ratio: { type: 'number' },
      port: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
      size: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      at: { type: 'string', format: 'date-time' },
      'a-b': { type: 'boolean' },
      any: {},
    },
  },
  Item: { type: 'object', properties: { name: { type: 'string' } } },
};
const types = new DocumentTypes(schemas, { kinds: 'x-kinds', intOrString: 'x-int-or-string' });
const thing = { group: 'g', version: 'v1', kind: 'Thing', type: types.ofKind('g', 'v1', 'Thing')! };

const policy = (spec: object) => ({ metadata: { name: 'p' }, spec }) as ValidatingAdmissionPolicy;
/** The first lines of the errors in a rule, with their fields. */
function wrong(spec: object): string[] {
  const found = expressionWarnings(policy(spec), [thing], thing.type);
  return found.map(({ fieldRef, warning }) => `${fieldRef}: ${warning.split('\n', 1)[0]}`);
}
const said = (at: string, problem: string, field = 'expression') =>
  `spec.validations[0].${field}: g/v1, Kind=Thing: ERROR: <input>:1:${at}: ${problem}`;

const CASES: [expression: string, wrong: string[]][] = [
  ['object.spec.count > 1 && object.spec.ratio < 0.5 && oldObject == null', []],
  ['object.spec.port == 80 || object.spec.port == "http"', []],
  ['object.spec.size == "1Gi" && object.spec.at < timestamp("2020-01-01T00:00:00Z") && object.spec.a__dash__b', []],
  ['object.metadata.labels["x"] == "y" && object.list.all(i, i.name != "")', []],
  ['object.spec.cuont > 1', [said('12', "undefined field 'cuont'")]],
  ['object.spec.count == "1"', [said('19', "found no matching overload for '_==_' applied to '(int, string)'")]],
  ['object.list.all(i, i.nmae != "")', [said('21', "undefined field 'nmae'")]],
  ['object.spec.any == 1', [said('12', "undefined field 'any'")]],
  ['object.tree.spec.count == 1', [said('7', "undefined field 'tree'")]],
  ['params.spec.cuont == 1', [said('12', "undefined field 'cuont'")]],
  ['variables.n == "1"', [said('13', "found no matching overload for '_==_' applied to '(int, string)'")]],
];

describe('type checks of expressions in a policy', () => {
  const paramKind = { apiVersion: 'g/v1', kind: 'Thing' };
  const variables = [{ name: 'n', expression: 'object.spec.count' }];
  for (const [expression, expected] of CASES)
    it(expression, () => assert.deepEqual(wrong({ paramKind, variables, validations: [{ expression }] }), expected));

  it('include message expressions', () => {
    const validations = [{ expression: 'true', messageExpression: 'object.nosuch' }];
    assert.deepEqual(wrong({ validations }), [said('7', "undefined field 'nosuch'", 'messageExpression')]);
  });

  it('use the kinds that the rules of the policy match', () => {
    const served = [
      ['apps', 'v1', 'deployments', 'Deployment'],
      ['apps', 'v1', 'daemonsets', 'DaemonSet'],
      ['', 'v1', 'pods', 'Pod'],
    ].map(([group, version, plural, kind]) => ({ group, version, plural, kind }) as DiscoveredType);
    const discovered = new Discovered([{ group: '', version: 'v1', types: served }], new Map());
    const rule = (apiGroups: string[], resources: string[]) => ({ apiGroups, apiVersions: ['v1'], resources });
    const matched = (...resourceRules: object[]) =>
      matchedKinds(policy({ matchConstraints: { resourceRules } }), discovered).map(({ kind }) => kind);
    assert.deepEqual(matched(rule(['apps', ''], ['deployments', 'pods', 'pods/status'])), ['Pod', 'Deployment']);
    assert.deepEqual(matched(rule(['apps'], ['*']), rule(['*'], ['pods'])), []);
    assert.deepEqual(matched(rule(['apps'], ['deployments', 'daemonsets'])), ['DaemonSet', 'Deployment']);
  });
});

describe('policy status controller, with an API server', () => {
  const running = aroundLaterManager('1.37', [policyStatusController], '--use-service-account-credentials');

  it('reports the type errors and the observed generation', async () => {
    const { types } = await discover(running.client);
    const type = types.find(({ plural }) => plural === 'validatingadmissionpolicies');
    const policies = running.client.resource(type as ResourceType<ValidatingAdmissionPolicy>);
    const resourceRules = [
      { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
    ];
    const spec = {
      matchConstraints: { resourceRules },
      validations: [{ expression: 'object.spec.replcas > 1' }, { expression: 'object.spec.replicas > 1' }],
    };
    await policies.create({ metadata: { name: 'typed' }, spec } as unknown as ValidatingAdmissionPolicy);
    const observed = (generation: number) => async () =>
      (await policies.get('typed')).status?.observedGeneration === generation;
    await waitUntil('it is checked', observed(1));
    const { status } = await policies.get('typed');
    assert.deepEqual(status?.typeChecking, {
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning:
            "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replcas'\n | object.spec.replcas > 1\n | ...........^\n",
        },
      ],
    });
    const right = [{ expression: 'object.spec.replicas > 1' }];
    await policies.patch('typed', 'merge', { spec: { validations: right } });
    await waitUntil('it is checked again', observed(2));
    assert.equal((await policies.get('typed')).status?.typeChecking?.expressionWarnings, undefined);
  });
});
