import assert from 'node:assert/strict';
import { loadSchema } from '../descriptors/load.ts';
import { factsOf } from './facts.ts';

describe('factsOf', () => {
  const table: [message: string, field: string, facts: string[]][] = [
    ['core.v1.ConfigMap', 'data', []],
    ['core.v1.ContainerPort', 'containerPort', []],
    ['core.v1.Container', 'imagePullPolicy', ['One of: Always, IfNotPresent, Never.']],
    ['core.v1.ContainerPort', 'protocol', ['Defaults to TCP.', 'One of: SCTP, TCP, UDP.']],
    ['core.v1.ServiceSpec', 'ports', ['No two items have the same port and protocol.']],
    ['meta.v1.ObjectMeta', 'finalizers', []],
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
