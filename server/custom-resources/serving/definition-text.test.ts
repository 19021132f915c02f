import assert from 'node:assert/strict';
import { definitionText, sameSpec, storedText } from './definition-text.ts';

describe('definitionText', () => {
  const metadata = { name: 'gadgets.example.com', annotations: { a: ',"spec":{},"status":{}' } };
  const status = { conditions: [], acceptedNames: { plural: 'gadgets', kind: 'Gadget' }, storedVersions: ['v1'] };
  const spec = { group: 'example.com', versions: [{ schema: { properties: { a: 1, status: {}, spec: {} } } }] };
  const text = (value: object) => definitionText(Buffer.from(JSON.stringify(value)));

  it('splits a definition into spec and rest, which storedText joins', () => {
    const found = text({ metadata, spec, status });
    assert.deepEqual(found?.rest, { metadata, status });
    assert.equal(found.spec.toString(), JSON.stringify(spec));
    const head = { kind: 'A', apiVersion: 'b/v1', metadata };
    assert.equal(storedText(head, found.spec, status).toString(), JSON.stringify({ ...head, spec, status }));
  });

  it('splits a definition with conditions in its status', () => {
    const condition = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' };
    const settled = { ...status, conditions: [condition, condition] };
    assert.equal(text({ metadata, spec, status: settled })?.spec.toString(), JSON.stringify(spec));
  });

  const others: [what: string, value: object][] = [
    ['metadata only', { metadata }],
    ['no status, but a status in its spec', { metadata, spec }],
    ['no status, but a nested status at the end of its spec', { metadata, spec: { a: { b: 1, status: {} } } }],
    ['status before spec', { metadata, status, spec }],
    ['a status in its status', { metadata, spec, status: { a: 1, status: {} } }],
    ['no metadata', { spec, status }],
  ];
  for (const [what, value] of others)
    it(`does not split a definition with ${what}`, () => assert.equal(text(value), undefined));

  it('compares whether two specs are equal', () => {
    const one = text({ metadata, spec, status });
    assert.ok(sameSpec(one, text({ metadata: { name: 'b' }, spec, status: {} })));
    assert.ok(!sameSpec(one, text({ metadata, spec: { ...spec, group: 'b' }, status })));
    assert.ok(!sameSpec(one, undefined));
  });
});
