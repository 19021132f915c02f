import assert from 'node:assert/strict';
import { releaseOf } from '#base/release/release.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { mutatingAdmissionPolicyBinding, validatingAdmissionPolicyBinding } from './admission-policy-binding.ts';
import { createMutatingPolicyRules } from './mutating-admission-policy.ts';
import { createValidatingPolicyRules } from './validating-admission-policy.ts';

const VERSION = 'admissionregistration.v1';
const release = releaseOf('1.30');
const rules = createValidatingPolicyRules(release);
const policies = new KindTester(rules, VERSION, 'ValidatingAdmissionPolicy', {}, release);
const bindings = new KindTester(
  validatingAdmissionPolicyBinding,
  VERSION,
  'ValidatingAdmissionPolicyBinding',
  {},
  release,
);

const resourceRules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
const policy = (more: object = {}) => ({
  spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }], ...more },
});
/** Paths of errors, starting at the spec, with the first line of each message. */
const errors = (more: object) =>
  policies.errors(policy(more)).map((line) => line.split('\n', 1)[0]!.replace(/^spec\./, ''));
const rule = (expression: string, more: object = {}) => errors({ validations: [{ expression, ...more }] });
const said = (text: string, at: string, problem: string) =>
  `validations[0].expression: Invalid value: "${text}": compilation failed: ERROR: <input>:${at}: ${problem}`;

describe('a ValidatingAdmissionPolicy', () => {
  it('matches all namespaces and objects and has failurePolicy Fail by default', () => {
    const { spec } = policies.created(policy());
    assert.equal(spec?.failurePolicy, 'Fail');
    assert.deepEqual(
      { ...spec?.matchConstraints, resourceRules: [] },
      { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, resourceRules: [] },
    );
  });

  it('needs validations and resource rules', () => {
    assert.deepEqual(errors({ validations: [] }).length, 2);
    assert.deepEqual(errors({ matchConstraints: null }), ['matchConstraints: Required value']);
    assert.deepEqual(errors({ matchConstraints: {} }), ['matchConstraints.resourceRules: Required value']);
    const twice = [{ ...resourceRules[0], resourceNames: ['a', 'a'] }];
    assert.deepEqual(errors({ matchConstraints: { resourceRules: twice } }), [
      'matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
    ]);
  });

  it('has its expressions type-checked', () => {
    assert.deepEqual(rule('object.any.thing == oldObject.x && request.dryRun'), []);
    assert.deepEqual(rule('1 + 1'), [
      'validations[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
    ]);
    assert.deepEqual(rule('request.object == null'), [
      said('request.object == null', '1:8', "undefined field 'object'"),
    ]);
    assert.deepEqual(rule('params.x == 1'), [
      said('params.x == 1', '1:1', "undeclared reference to 'params' (in container '')"),
    ]);
    assert.deepEqual(
      errors({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'params.x == 1' }] }),
      [],
    );
  });

  it('can use only functions of its release, unless the stored policy already uses others', () => {
    assert.deepEqual(rule("ip('::1').family() == 6"), []);
    assert.match(rule('[2, 1].sort() == [1, 2]')[0]!, /undeclared reference to 'sort'/);
    assert.deepEqual(
      rules.validateUpdate?.(
        policies.created(policy({ validations: [{ expression: '[2, 1].sort() == [1, 2]' }] })),
        policies.created(policy({ validations: [{ expression: '[2, 1].sort() == [1, 2]' }] })),
        policies.context,
      ),
      [],
      'and what was stored before',
    );
  });

  it('has variables that can use the variables before them', () => {
    const variables = [
      { name: 'a', expression: 'size(object.x)' },
      { name: 'b', expression: 'variables.a + 1' },
    ];
    assert.deepEqual(errors({ variables, validations: [{ expression: 'variables.b > 1' }] }), []);
    assert.match(
      errors({ variables: variables.toReversed() })[0]!,
      /^variables\[0\].expression: .*undefined field 'a'/,
    );
    assert.deepEqual(errors({ variables: [{ name: 'in', expression: '1' }] }), [
      'variables[0].name: Invalid value: "in": must be a valid CEL identifier',
    ]);
  });

  it('needs messages of one line and known reasons', () => {
    assert.deepEqual(rule('true', { message: 'a\nb', reason: 'Unauthorized' }), [
      'validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
      'validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ]);
    assert.deepEqual(rule('true', { messageExpression: 'object.metadata.name' }), [
      'validations[0].messageExpression: Invalid value: "object.metadata.name": must evaluate to string but got dyn',
    ]);
  });
});

describe('a binding of a ValidatingAdmissionPolicy', () => {
  const wrong = (more: object) =>
    bindings
      .errors({ spec: { policyName: 'p', validationActions: ['Deny'], ...more } })
      .map((line) => line.split(': ', 2).join(': '));

  it('needs valid validation actions', () => {
    assert.deepEqual(wrong({}), []);
    assert.deepEqual(wrong({ validationActions: [] }), ['spec.validationActions: Required value']);
    assert.deepEqual(wrong({ validationActions: ['Deny', 'Warn', 'Deny', 'x'] }), [
      'spec.validationActions[2]: Duplicate value',
      'spec.validationActions[3]: Unsupported value',
      'spec.validationActions: Invalid value',
    ]);
  });

  it('references its parameters either by name or by selector', () => {
    const paramRef = { name: 'a', selector: {}, parameterNotFoundAction: 'Allow' };
    assert.deepEqual(wrong({ paramRef }), ['spec.paramRef.name: Forbidden', 'spec.paramRef.selector: Forbidden']);
    assert.deepEqual(wrong({ paramRef: {} }), [
      'spec.paramRef: Required value',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ]);
  });
});

describe('a MutatingAdmissionPolicy', () => {
  const later = releaseOf('1.37');
  const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
  const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
  const tester = new KindTester(createMutatingPolicyRules(later), VERSION, 'MutatingAdmissionPolicy', {}, later);
  const changing = (more: object) => {
    const rules = [{ ...resourceRules[0], operations: ['CREATE'] }];
    const base = {
      matchConstraints: { resourceRules: rules },
      mutations: [apply('Object{}')],
      reinvocationPolicy: 'Never',
    };
    return tester.errors({ spec: { ...base, ...more } }).map((line) => line.split('\n', 1)[0]!.replace(/^spec\./, ''));
  };
  const wrong = (expression: string, problem: string) =>
    `mutations[0].applyConfiguration.expression: Invalid value: "${expression}": ${problem}`;

  it('needs mutations that return an Object or JSON patches', () => {
    assert.deepEqual(changing({}), []);
    assert.deepEqual(changing({ mutations: [patch("[JSONPatch{op: 'remove', path: '/data'}]")] }), []);
    assert.deepEqual(changing({ mutations: [apply('{}')] }), [
      wrong('{}', 'must evaluate to Object but got map(dyn, dyn)'),
    ]);
    assert.deepEqual(changing({ mutations: [] }), [
      'mutations: Required value: mutations must contain at least one item',
    ]);
    assert.deepEqual(changing({ mutations: [{ ...patch('[]'), patchType: 'x' }] }), [
      'mutations[0].patchType: Unsupported value: "x": supported values: "ApplyConfiguration", "JSONPatch"',
    ]);
    assert.deepEqual(changing({ mutations: [{ ...apply('Object{}'), jsonPatch: {} }, { patchType: 'JSONPatch' }] }), [
      'mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      'mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch',
    ]);
  });

  it('can match only CREATE and UPDATE', () => {
    assert.deepEqual(changing({ matchConstraints: { resourceRules } }), [
      'matchConstraints.resourceRules.operations: Unsupported value: "*": supported values: "CREATE", "UPDATE"',
    ]);
    const bound = new KindTester(mutatingAdmissionPolicyBinding, VERSION, 'MutatingAdmissionPolicyBinding', {}, later);
    assert.deepEqual(bound.errors({ spec: { policyName: 'p', matchResources: { resourceRules } } }), [
      'spec.matchResources.resourceRules.operations: Unsupported value: "*": supported values: "CREATE", "UPDATE"',
    ]);
  });

  it('needs a reinvocation policy', () => {
    assert.deepEqual(changing({ reinvocationPolicy: undefined }), ['reinvocationPolicy: Required value']);
    assert.deepEqual(changing({ reinvocationPolicy: 'Always' }), [
      'reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ]);
  });
});
