import assert from 'node:assert/strict';
import { loadSchema } from '../descriptors/load.ts';
import { FORMS, factsOf } from './facts.ts';

describe('factsOf', () => {
  const table: [message: string, field: string, facts: string[]][] = [
    ['core.v1.ConfigMap', 'data', []],
    ['core.v1.ContainerPort', 'containerPort', ['At least 1, at most 65535.']],
    ['core.v1.Container', 'imagePullPolicy', ['One of: Always, IfNotPresent, Never.']],
    ['core.v1.ContainerPort', 'protocol', ['Defaults to TCP.', 'One of: SCTP, TCP, UDP.']],
    ['core.v1.ServiceSpec', 'ports', ['No two items have the same port and protocol.']],
    ['meta.v1.ObjectMeta', 'finalizers', []],
    ['core.v1.ServicePort', 'port', ['At least 1, at most 65535.']],
    ['core.v1.Probe', 'timeoutSeconds', ['At least 0.']],
    ['discovery.v1.Endpoint', 'addresses', ['At most 100 items.', 'No item occurs twice.']],
    ['batch.v1.CronJobSpec', 'timeZone', []],
    ['node.v1.RuntimeClass', 'handler', [FORMS['dns-label'], 'It cannot be changed after creation.']],
    ['rbac.authorization.v1.RoleRef', 'name', [FORMS['path-segment']]],
    ['core.v1.ConfigMapVolumeSource', 'defaultMode', ['At least 0, at most 511.']],
    ['policy.v1.PodDisruptionBudgetSpec', 'maxUnavailable', ['At least 0, at most 100%.']],
    ['core.v1.PodReadinessGate', 'conditionType', [FORMS['qualified-name']]],
  ];
  for (const [message, name, facts] of table) {
    it(`states of ${message}.${name}: ${facts.length === 0 ? 'nothing' : facts.join(' ')}`, () => {
      const field = loadSchema().message(message).byJsonName.get(name);
      assert.deepEqual(factsOf(field!), facts);
    });
  }

  for (const [what, field, facts] of [
    ['a number', { default: 30 }, ['Defaults to 30.']],
    ['zero, which readers expect', { default: 0 }, []],
    ['what is set where nothing is', { defaultsTo: 'a' }, ['Defaults to a.']],
    ['values of a list', { enum: ['a', ''], repeated: true }, ['Each item is one of: a, "".']],
    ['a set', { listType: 'set' }, ['No item occurs twice.']],
  ] as const) {
    it(`states ${what}`, () => {
      const nothing = { default: undefined, enum: undefined, repeated: false, listType: undefined };
      assert.deepEqual(factsOf({ ...nothing, listMapKeys: undefined, ...field }), facts);
    });
  }
});
