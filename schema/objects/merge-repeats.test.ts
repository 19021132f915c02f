import assert from 'node:assert/strict';
import { isObject } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { loadSchema } from '../descriptors/load.ts';
import { mergeRepeats } from './merge-repeats.ts';

describe('mergeRepeats', () => {
  const { messages } = loadSchema();

  const cases: [message: string, text: string, merged: object, complaints: string[]][] = [
    [
      'core.v1.ConfigMap',
      '{"data":{"x":"1"},"data":{"y":"2"}}',
      { data: { x: '1', y: '2' } },
      ['duplicate field "data"'],
    ],
    ['core.v1.ConfigMap', '{"data":{"x":"1"},"data":null}', { data: null }, ['duplicate field "data"']],
    [
      'core.v1.Secret',
      '{"type":"a","type":null,"nosuch":{"a":1},"nosuch":{"b":2}}',
      { type: 'a', nosuch: { b: 2 } },
      ['duplicate field "type"', 'unknown field "nosuch"'],
    ],
    [
      'core.v1.Pod',
      '{"spec":{"containers":[{"name":"a","image":"b"},{"name":"c"}]},"spec":{"containers":[{"image":"d"}],"hostPID":true}}',
      { spec: { containers: [{ name: 'a', image: 'd' }], hostPID: true } },
      ['duplicate field "spec"'],
    ],
    [
      'core.v1.Pod',
      '{"spec":{"nodeSelector":{"a":"1","a":"2"},"x":1,"containers":[{"name":"a","name":"b","y":1}]}}',
      { spec: { nodeSelector: { a: '2' }, x: 1, containers: [{ name: 'b', y: 1 }] } },
      [
        'duplicate field "spec.nodeSelector.a"',
        'unknown field "spec.x"',
        'duplicate field "spec.containers[0].name"',
        'unknown field "spec.containers[0].y"',
      ],
    ],
    // A field of any shape is replaced as a whole, and its content is not read.
    [
      'apps.v1.ControllerRevision',
      '{"data":{"a":1,"a":2},"data":{"b":1}}',
      { data: { b: 1 } },
      ['duplicate field "data"'],
    ],
    ['core.v1.ConfigMap', '{"kind":"a","kind":"b"}', { kind: 'b' }, ['duplicate field "kind"']],
  ];
  for (const [name, text, merged, complaints] of cases) {
    it(`reads ${text}`, () => {
      const { value, repeats } = parseJson(text);
      assert.ok(isObject(value) && repeats !== undefined);
      const told: string[] = [];
      const message = messages.get(name);
      assert.ok(message !== undefined);
      assert.deepEqual(
        mergeRepeats(message, value, repeats, (complaint) => told.push(complaint)),
        merged,
      );
      assert.deepEqual(told, complaints);
    });
  }
});
