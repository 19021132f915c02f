import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('decoding of a request body', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  const unrecognized = (reason: string, shown: string) =>
    `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${reason} (${shown})`;
  const noObject = (type: string) =>
    `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  const strict = (...complaints: string[]) =>
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${complaints.join(', ')}`;
  const twice = (...lines: string[]) => `yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`;

  const cases: [type: 'json' | 'yaml', body: string, message: string][] = [
    // Values that are not objects, or that have no kind or version.
    ['json', '[]', unrecognized(noObject('array'), '5b5d')],
    ['json', '"s"', unrecognized(noObject('string'), '227322')],
    ['yaml', '5', unrecognized(noObject('number'), '35')],
    [
      'json',
      '{"kind":5}',
      unrecognized('json: cannot unmarshal number into Go struct field .kind of type string', '{"kind":5}'),
    ],
    // The kind is also read from keys with other upper-case letters.
    [
      'json',
      '{"Kind":"Secret","APIversion":"v1"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    // Duplicate fields and unknown fields.
    [
      'yaml',
      'data:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "2"\nodd: 1\n',
      strict(twice('line 3: key "a" already set in map', 'line 5: key "b" already set in map'), 'unknown field "odd"'),
    ],
    ['yaml', 'odd: 1\n', strict('unknown field "odd"')],
    ['json', '{"data":{"a":"1","a":"2"},"odd":1}', strict('duplicate field "data.a"', 'unknown field "odd"')],
    [
      'json',
      '{"odd":1,"data":{"a":"1","a":"2"},"odd":2,"metadata":{"b":1,"name":"x","name":"y"},"data":{}}',
      strict(
        'unknown field "odd"',
        'duplicate field "data.a"',
        'unknown field "metadata.b"',
        'duplicate field "metadata.name"',
        'duplicate field "data"',
      ),
    ],
    ['json', '{"a\\u0000\\n":1}', strict('unknown field "a\\x00\\n"')],
  ];
  for (const [type, body, message] of cases) {
    it(`refuses ${type} ${JSON.stringify(body)} with the expected message`, async () => {
      const headers = { 'Content-Type': `application/${type}` };
      const answer = await replica.call('POST', `${MAPS}?fieldValidation=Strict`, { headers, raw: body });
      assert.deepEqual([answer.status, answer.json.message], [400, message]);
    });
  }

  const patches: [type: string, patch: string, complaints: string[]][] = [
    [
      'merge-patch',
      '{"metadata":{"zz":1,"aa":1},"aaa":1,"data":{"x":"1","x":"2"}}',
      ['duplicate field "data.x"', 'unknown field "aaa"', 'unknown field "metadata.aa"', 'unknown field "metadata.zz"'],
    ],
    [
      'strategic-merge-patch',
      '{"metadata":{"zz":1,"aa":1},"aaa":1,"data":{"x":"1","x":"2"}}',
      ['duplicate field "data.x"', 'unknown field "aaa"', 'unknown field "metadata.aa"', 'unknown field "metadata.zz"'],
    ],
    [
      'json-patch',
      '[{"op":"add","path":"/zzz","value":1,"value":2},{"op":"add","path":"/aaa","value":1}]',
      ['json patch duplicate field "[0].value"', 'unknown field "aaa"', 'unknown field "zzz"'],
    ],
  ];
  for (const [type, raw, complaints] of patches) {
    it(`reports all problems of a ${type} at once`, async () => {
      const path = `${MAPS}/patched-${type}`;
      await replica.call('POST', MAPS, { body: { metadata: { name: `patched-${type}` }, data: { k: 'v' } } });
      const headers = { 'Content-Type': `application/${type}+json` };
      const refused = await replica.call('PATCH', `${path}?fieldValidation=Strict`, { headers, raw });
      assert.deepEqual([refused.status, refused.json.message], [400, strict(...complaints)]);
      const warned = await replica.call('PATCH', path, { headers, raw });
      assert.equal(warned.status, 200);
      const texts = complaints.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`);
      assert.equal(warned.headers['warning'], texts.join(', '));
    });
  }

  it('collects few unknown fields if their paths are long', async () => {
    const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`u${i}`, '']));
    const schema = { type: 'object', properties: { [`x${'y'.repeat(400_000)}`]: labels } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const names = { plural: 'things', kind: 'Thing' };
    const body = {
      metadata: { name: 'things.example.com' },
      spec: { group: 'example.com', names, scope: 'Cluster', versions },
    };
    const path = `/apis/${createNaming('orch').group('apiextensions')}/v1/customresourcedefinitions?fieldValidation=Strict`;
    const { status, json } = await replica.call('POST', path, { body });
    assert.deepEqual([status, json.message.split('unknown field').length - 1], [400, 3]);
  });

  it('merges objects under a duplicate key', async () => {
    const raw = '{"metadata":{"name":"merged"},"data":{"x":"1"},"data":{"y":"2"},"metadata":{"labels":{"a":"b"}}}';
    const { status, json } = await replica.call('POST', MAPS, { raw });
    assert.equal(status, 201);
    assert.deepEqual([json.data, json.metadata.name, json.metadata.labels], [{ x: '1', y: '2' }, 'merged', { a: 'b' }]);
  });
});
