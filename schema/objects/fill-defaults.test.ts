import assert from 'node:assert/strict';
import { loadSchema } from '../descriptors/load.ts';
import { DefaultError, typedDefault } from '../descriptors/typed-default.ts';
import { fillDefaults } from './fill-defaults.ts';

describe('fillDefaults', () => {
  const schema = loadSchema();
  const cases: [message: string, before: object, after: object][] = [
    ['core.v1.ContainerPort', { containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }],
    ['core.v1.ContainerPort', { protocol: '' }, { protocol: 'TCP' }],
    ['core.v1.ContainerPort', { protocol: 'UDP' }, { protocol: 'UDP' }],
    [
      'core.v1.Service',
      { spec: { ports: [{ port: 1 }, {}] } },
      { spec: { ports: [{ port: 1, protocol: 'TCP' }, { protocol: 'TCP' }] } },
    ],
    ['core.v1.Service', {}, {}],
    // An absent value differs from zero.
    ['core.v1.GRPCAction', { service: null }, { service: '' }],
    [
      'storage.v1.CSIDriverSpec',
      { attachRequired: false, podInfoOnMount: true },
      {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
      },
    ],
    ['admissionregistration.v1.ServiceReference', { name: 's' }, { name: 's', port: 443 }],
    ['core.v1.ConfigMap', { data: { protocol: '' } }, { data: { protocol: '' } }],
    // This message contains a field of its own type.
    ['apiextensions.v1.JSONSchemaProps', { properties: { a: { items: {} } } }, { properties: { a: { items: {} } } }],
  ];
  for (const [name, before, after] of cases) {
    it(`fills ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
      const object = structuredClone(before) as never;
      fillDefaults(schema.message(name), object);
      assert.deepEqual(object, after);
      fillDefaults(schema.message(name), object);
      assert.deepEqual(object, after);
    });
  }
});

describe('typedDefault', () => {
  const string = { scalar: 'string' } as const;
  const int32 = { scalar: 'int32' } as const;
  const typed: [text: string, type: Parameters<typeof typedDefault>[1], value: unknown][] = [
    ['TCP', string, 'TCP'],
    ['30', string, '30'],
    ['30', int32, 30],
    ['-1', { scalar: 'int64' }, -1],
    ['0.5', { scalar: 'double' }, 0.5],
    ['true', { scalar: 'bool' }, true],
  ];
  for (const [text, type, value] of typed) {
    it(`reads a default of type ${type.scalar}`, () => assert.deepEqual(typedDefault(text, type, undefined), value));
  }

  const wrong: [text: string, type: Parameters<typeof typedDefault>[1], words?: string[]][] = [
    ['', int32],
    ['x', int32],
    ['1.5', int32],
    ['4294967296', int32],
    ['1', { scalar: 'bool' }],
    ['e', { scalar: 'double' }],
    ['x', { scalar: 'bytes' }],
    ['x', {}],
    ['ICMP', string, ['TCP', 'UDP']],
  ];
  for (const [text, type, words] of wrong) {
    it(`refuses the default ${JSON.stringify(text)} for ${type.scalar ?? 'a message'}`, () => {
      assert.throws(() => typedDefault(text, type, words), DefaultError);
    });
  }
});
