import assert from 'node:assert/strict';
import { MalformedValueError, servedBody } from './stored-body.ts';

describe('servedBody', () => {
  const head = '{"kind":"Pod","apiVersion":"v1",';
  const cases: [what: string, rest: string, served: string][] = [
    [
      'after the uid',
      '"metadata":{"name":"a","uid":"u","labels":{}},"spec":{}}',
      '{"metadata":{"name":"a","uid":"u","resourceVersion":"42","labels":{}},"spec":{}}',
    ],
    [
      'at the end of metadata',
      '"metadata":{"name":"a","uid":"u"}}',
      '{"metadata":{"name":"a","uid":"u","resourceVersion":"42"}}',
    ],
    [
      'after the name if there is no uid',
      '"metadata":{"name":"a","labels":{"uid":"x"}}}',
      '{"metadata":{"name":"a","resourceVersion":"42","labels":{"uid":"x"}}}',
    ],
    [
      'first if there is neither a name nor a uid',
      '"metadata":{"labels":{"a":"b"}}}',
      '{"metadata":{"resourceVersion":"42","labels":{"a":"b"}}}',
    ],
    ['in empty metadata', '"metadata":{},"x":1}', '{"metadata":{"resourceVersion":"42"},"x":1}'],
    [
      'behind strings that contain escapes and brackets',
      '"metadata":{"name":"a\\"},{\\\\","uid":"ü}\\"","generation":1}}',
      '{"metadata":{"name":"a\\"},{\\\\","uid":"ü}\\"","resourceVersion":"42","generation":1}}',
    ],
    [
      'in metadata that comes after other fields',
      '"a":[1,{"metadata":{}},"]"],"b":{"c":"}"},"d":null,"metadata":{"uid":"u"}}',
      '{"a":[1,{"metadata":{}},"]"],"b":{"c":"}"},"d":null,"metadata":{"uid":"u","resourceVersion":"42"}}',
    ],
  ];
  for (const [what, rest, served] of cases) {
    it(`puts the resource version ${what}`, () => {
      const result = servedBody(Buffer.from(head + rest), 42);
      assert.equal(result.apiVersion, 'v1');
      assert.equal(result.body.toString(), served);
      JSON.parse(served);
      assert.equal(result.body.buffer.byteLength, result.body.length, 'memory of its own');
    });
  }

  for (const value of [
    '',
    '{}',
    '[]',
    '{"kind":"Pod"',
    '{"kind":"Pod","metadata":{}}',
    '{"apiVersion":"v1","kind":"Pod","metadata":{}}',
    '{"kind":"Pod","apiVersion":"v1"}',
    '{"kind":"Pod","apiVersion":"v1","spec":{}}',
    '{"kind":"Pod","apiVersion":"v1","metadata":[]}',
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a',
  ]) {
    it(`refuses ${value || 'an empty value'}`, () => {
      assert.throws(() => servedBody(Buffer.from(value), 1), MalformedValueError);
    });
  }
});
