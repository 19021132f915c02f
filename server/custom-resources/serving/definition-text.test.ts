import assert from 'node:assert/strict';
import { definitionText, sameSpec, storedText } from './definition-text.ts';

describe('the text of a definition', () => {
  const metadata = { name: 'gadgets.example.com', annotations: { a: ',"spec":{},"status":{}' } };
  const status = { conditions: [], acceptedNames: { plural: 'gadgets', kind: 'Gadget' }, storedVersions: ['v1'] };
  const spec = { group: 'example.com', versions: [{ schema: { properties: { a: 1, status: {}, spec: {} } } }] };
  const text = (value: object) => definitionText(Buffer.from(JSON.stringify(value)));

  it('is taken apart and put together', () => {
    const found = text({ metadata, spec, status });
    assert.deepEqual(found?.rest, { metadata, status });
    assert.equal(found.spec.toString(), JSON.stringify(spec));
    const head = { kind: 'A', apiVersion: 'b/v1', metadata };
    assert.equal(storedText(head, found.spec, status).toString(), JSON.stringify({ ...head, spec, status }));
  });

  it('is taken apart where conditions have been written', () => {
    const condition = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' };
    const settled = { ...status, conditions: [condition, condition] };
    assert.equal(text({ metadata, spec, status: settled })?.spec.toString(), JSON.stringify(spec));
  });

  const others: [what: string, value: object][] = [
    ['nothing but metadata', { metadata }],
    ['no status, and one in its spec', { metadata, spec }],
    ['no status, and one that looks like the end', { metadata, spec: { a: { b: 1, status: {} } } }],
    ['its parts in another order', { metadata, status, spec }],
    ['a status in its status', { metadata, spec, status: { a: 1, status: {} } }],
    ['no metadata', { spec, status }],
  ];
  for (const [what, value] of others)
    it(`is read as a whole that has ${what}`, () => assert.equal(text(value), undefined));

  it('says whether specs are the same', () => {
    const one = text({ metadata, spec, status });
    assert.ok(sameSpec(one, text({ metadata: { name: 'b' }, spec, status: {} })));
    assert.ok(!sameSpec(one, text({ metadata, spec: { ...spec, group: 'b' }, status })));
    assert.ok(!sameSpec(one, undefined));
  });
});
