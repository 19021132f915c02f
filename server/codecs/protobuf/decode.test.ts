import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

const schema = loadSchema();
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

function refused(run: () => unknown): void {
  assert.throws(run, (error) => error instanceof StatusError && error.code === 400);
}

describe('decodeMessage', () => {
  it('refuses bodies with too many messages, within bounded time', () => {
    // Containers of two bytes each.
    const spec = Buffer.from('1200'.repeat(1_000_000), 'hex');
    const body = Buffer.concat([hex('12'), varint(spec.length), spec]);
    const before = process.cpuUsage();
    assert.throws(
      () => decodeMessage(schema.message('core.v1.Pod'), body),
      (error) => error instanceof StatusError && error.code === 413,
    );
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
    assert.doesNotThrow(() => decodeMessage(schema.message('core.v1.Pod'), hex('12 02 12 00')));
  });

  it('returns absent values in the form that JSON uses', () => {
    const deployment = decodeMessage(schema.message('apps.v1.Deployment'), hex(''));
    assert.deepEqual(Object.keys(deployment), ['metadata', 'spec', 'status']);
    assert.deepEqual(deployment['metadata'], { creationTimestamp: null });
  });

  const lenient: [name: string, message: string, wire: string, object: object][] = [
    [
      'skips unknown fields of every wire type',
      'core.v1.ContainerImage',
      'a8 06 01 aa 06 01 ff ad 06 00 00 00 00 a9 06 00 00 00 00 00 00 00 00 ab 06 ab 06 ac 06 ac 06 10 05',
      { names: null, sizeBytes: 5 },
    ],
    [
      'uses the last value of a single field that is repeated',
      'core.v1.ContainerImage',
      '10 05 10 06',
      { names: null, sizeBytes: 6 },
    ],
    [
      'merges repeated occurrences of a message field',
      'core.v1.LocalObjectReference',
      '0a 01 61 0a 01 62',
      { name: 'b' },
    ],
    [
      'merges repeated occurrences of a nested message',
      'core.v1.Lifecycle',
      '0a 05 0a 03 0a 01 61 0a 05 0a 03 0a 01 62',
      { postStart: { exec: { command: ['a', 'b'] } } },
    ],
    [
      'reads packed and unpacked numbers',
      'core.v1.PodSecurityContext',
      '22 02 01 02 20 03',
      { supplementalGroups: [1, 2, 3] },
    ],
    ['reads a missing map key as an empty key', 'core.v1.SecretReference', '0a 00', {}],
    [
      'truncates times to seconds',
      'core.v1.ContainerStateRunning',
      '0a 05 08 01 10 d0 0f',
      { startedAt: '1970-01-01T00:00:01Z' },
    ],
  ];
  for (const [name, message, wire, object] of lenient) {
    it(name, () => assert.deepEqual(decodeMessage(schema.message(message), hex(wire)), object));
  }

  const malformed: [name: string, message: string, wire: string][] = [
    ['a cut tag', 'core.v1.Pod', '80'],
    ['a cut value', 'core.v1.Pod', '0a 05 0a'],
    ['a length beyond the message', 'core.v1.LocalObjectReference', '0a ff ff ff ff 0f'],
    ['a nested value beyond its message', 'core.v1.Lifecycle', '0a 02 0a 03 0a 01 61'],
    ['a varint that does not end', 'core.v1.ContainerImage', '10 ff ff ff ff ff ff ff ff ff ff ff'],
    ['a wire type that does not match the field', 'core.v1.ContainerImage', '12 00'],
    ['a wire type that does not exist', 'core.v1.ContainerImage', '37'],
    ['the end of a group that did not start', 'core.v1.ContainerImage', 'ac 06'],
    ['a group without end', 'core.v1.ContainerImage', 'ab 06'],
    ['an invalid quantity', 'resource.Quantity', '0a 01 78'],
    ['a time after the year 9999', 'core.v1.ContainerStateRunning', '0a 08 08 ff ff ff ff ff ff 7f'],
    ['invalid free-form JSON', 'apps.v1.ControllerRevision', '12 03 0a 01 7b'],
    ['an int-or-string of neither type', 'core.v1.TCPSocketAction', '0a 02 08 02'],
  ];
  for (const [name, message, wire] of malformed) {
    it(`refuses ${name}`, () => refused(() => decodeMessage(schema.message(message), hex(wire))));
  }

  it('refuses messages nested too deep', () => {
    let wire = Buffer.alloc(0);
    for (let i = 0; i < 3000; i++) {
      const length: number[] = [];
      for (let rest = wire.length; ; rest >>>= 7) {
        length.push(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127) break;
      }
      wire = Buffer.concat([hex('e2 01'), Buffer.from(length), wire]);
    }
    refused(() => decodeMessage(schema.message('apiextensions.v1.JSONSchemaProps'), wire));
  });

  it('skips unknown groups of any depth', () => {
    const wire = Buffer.concat([Buffer.from('ab06'.repeat(50_000) + 'ac06'.repeat(50_000), 'hex'), hex('10 05')]);
    assert.deepEqual(decodeMessage(schema.message('core.v1.ContainerImage'), wire), { names: null, sizeBytes: 5 });
  });

  it('either decodes or refuses any bytes', () => {
    const pod = schema.message('core.v1.Pod');
    const good = encodeMessage(pod, {
      metadata: { name: 'a', labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
    });
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
        const bad = Buffer.from(good.subarray(0, length));
        if (at < length) bad[at] = byte;
        try {
          decodeMessage(pod, bad);
        } catch (error) {
          assert.ok(error instanceof StatusError && error.code === 400, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
