import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';

/** A triple for which the result of this project is better on purpose than the result of the field's client. */
export interface Better {
  readonly why: string;
  /** A path in the object, such as `spec.ports`, and its value after the triple. */
  readonly at: string;
  readonly value: JsonValue;
}

const flips = 'items that share the key overwrite each other, one way and the other at each run';
const stays = 'an item that shares its key with another cannot be taken out';
const both = 'what is done to one item is done to all that share its key';
const rounds = 'whole numbers beyond what a double holds are rounded';
const again = 'what the file has as null is taken away once only, and not when others set it again';

const port = (number: number, protocol: string, targetPort = number) => ({
  ...{ name: `p${number}-${protocol.toLowerCase()}`, port: number, protocol, targetPort },
});
const [ports, env] = ['spec.template.spec.containers.0.ports', 'spec.template.spec.containers.0.env'];
const pairs = (...given: readonly string[]) => given.map((text) => ({ name: text.charAt(0), value: text.slice(2) }));
const containerPort = (number: number, protocol: string) => ({ containerPort: number, protocol });

/** All triples whose result is better on purpose, by the names of the triples. This list is complete. */
export const better: ReadonlyMap<string, Better> = new Map([
  [
    'one number for two protocols: one gets another target',
    { why: flips, at: 'spec.ports', value: [port(53, 'UDP'), port(53, 'TCP', 5353)] },
  ],
  ['one number for two protocols: one is dropped', { why: stays, at: 'spec.ports', value: [port(53, 'UDP')] }],
  [
    'one of four ports is dropped',
    { why: both, at: 'spec.ports', value: [port(53, 'UDP'), port(80, 'TCP'), port(443, 'TCP')] },
  ],
  [
    'one number for two protocols: others have added a port',
    { why: flips, at: 'spec.ports', value: [port(53, 'TCP'), port(53, 'UDP'), port(99, 'TCP')] },
  ],
  [
    'ports of a container: a second protocol is added',
    { why: flips, at: ports, value: [containerPort(53, 'UDP'), containerPort(53, 'TCP'), containerPort(80, 'TCP')] },
  ],
  [
    'ports of a container: one of two protocols is dropped',
    { why: stays, at: ports, value: [containerPort(53, 'TCP'), containerPort(80, 'TCP')] },
  ],
  ['env: a doubled name is one again', { why: stays, at: env, value: pairs('A=2', 'B=1') }],
  ['env: a name is doubled', { why: flips, at: env, value: pairs('A=1', 'B=1', 'A=2') }],
  ['custom: null of what others set again', { why: again, at: 'spec', value: { a: 1 } }],
  ['custom: long numbers', { why: rounds, at: 'spec.b', value: new JsonNumber('4611686018427387905') }],
]);
