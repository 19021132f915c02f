import assert from 'node:assert/strict';
import { aroundAll, type TestReplica } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('the refusal of a body', () => {
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
    // what is no object, or does not say what it is
    ['json', '[]', unrecognized(noObject('array'), '5b5d')],
    ['json', '"s"', unrecognized(noObject('string'), '227322')],
    ['yaml', '5', unrecognized(noObject('number'), '35')],
    [
      'json',
      '{"kind":5}',
      unrecognized('json: cannot unmarshal number into Go struct field .kind of type string', '{"kind":5}'),
    ],
    // what is given twice, and what the kind does not have
    [
      'yaml',
      'data:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "2"\nodd: 1\n',
      strict(twice('line 3: key "a" already set in map', 'line 5: key "b" already set in map'), 'unknown field "odd"'),
    ],
    ['yaml', 'odd: 1\n', strict('unknown field "odd"')],
    ['json', '{"data":{"a":"1","a":"2"},"odd":1}', strict('duplicate field "data.a"', 'unknown field "odd"')],
  ];
  for (const [type, body, message] of cases) {
    it(`tells of ${type} ${JSON.stringify(body)}`, async () => {
      const headers = { 'Content-Type': `application/${type}` };
      const answer = await replica.call('POST', `${MAPS}?fieldValidation=Strict`, { headers, raw: body });
      assert.deepEqual([answer.status, answer.json.message], [400, message]);
    });
  }
});
