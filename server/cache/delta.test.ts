import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyDelta, deltaOf } from './delta.ts';
import { Interner } from './interner.ts';
import { type Item, ownBytes, replaced, unreadItem } from './item.ts';

const content = Array.from({ length: 200 }, (_, i) => `"field${i}":"word"`).join(',');

/** A served body. */
function body(metadata: string, fields: string): Buffer {
  return Buffer.from(`{"metadata":{${metadata}},${fields}}`);
}

const CASES: [what: string, older: Buffer, newer: Buffer, shared: string | undefined][] = [
  ['nothing changed', body('', content), body('', content), `,${content}}`],
  ['metadata', body('"a":"1"', content), body('"a":"1","b":{"c":"}"}', content), `,${content}}`],
  ['the last field changed', body('', `${content},"s":1`), body('', `${content},"s":20`), `,${content},"s":`],
  ['the first field changed', body('', `"a":1,${content}`), body('', `"ab":2,${content}`), `,${content}}`],
  [
    'the first and the last field changed',
    body('"a":"1"', `${content},"s":1`),
    body('"a":"20"', `${content},"t":1`),
    `,${content},"`,
  ],
  ['a large field was removed', body('', `${content},"s":1`), body('', '"s":1'), undefined],
  ['a large field was added', body('', '"s":1'), body('', `${content},"s":1`), undefined],
  ['the older body is not valid JSON', Buffer.from('{"metadata":{'), body('', content), undefined],
  [
    'a field in the middle changed',
    body('', `${content},"s":1,${content}`),
    body('', `${content},"s":2,${content}`),
    undefined,
  ],
];

describe('the delta between two revisions', () => {
  for (const [what, older, newer, shared] of CASES) {
    it(what, () => {
      const delta = deltaOf(older, newer);
      assert.equal(delta && newer.toString('latin1', delta.from, delta.from + delta.length), shared);
      if (delta !== undefined) assert.equal(applyDelta(delta, newer).toString(), older.toString());
    });
  }
});

describe('bodies of replaced revisions', () => {
  const reader = { interner: new Interner(0), unreadable: assert.fail };
  const revisionOf = (revision: number, content: string, phase: string): Item => {
    const metadata = `{"name":"one","uid":"${'u'.repeat(revision % 40)}","labels":{"r":"${revision}"}}`;
    const value = `{"kind":"Thing","apiVersion":"v1","metadata":${metadata},"spec":"${content}","status":"${phase}"}`;
    return unreadItem('one', { value: Buffer.from(value), revision }, reader);
  };

  it('stay the same after later revisions', () => {
    const specs = fc.constantFrom('x'.repeat(30_000), 'y'.repeat(30_000), 'word '.repeat(6000), 'small');
    fc.assert(
      fc.property(fc.array(fc.tuple(specs, fc.string({ unit: 'grapheme-ascii' })), { maxLength: 40 }), (states) => {
        const items: Item[] = [];
        const bodies: Buffer[] = [];
        for (const [n, [spec, phase]] of states.entries()) {
          const item = revisionOf(n + 1, spec, JSON.stringify(phase).slice(1, -1));
          if (n > 0) replaced(items[n - 1]!, item);
          items.push(item);
          bodies.push(Buffer.from(item.body));
        }
        for (const [n, item] of items.entries()) {
          assert.ok(item.body.equals(bodies[n]!));
          assert.deepEqual(item.labels, { r: String(n + 1) });
        }
      }),
    );
  });

  it('are stored as differences, with a whole body at intervals', () => {
    const items = Array.from({ length: 100 }, (_, n) => revisionOf(n + 1, 'x'.repeat(30_000), `phase ${n}`));
    for (const [n, item] of items.slice(1).entries()) replaced(items[n]!, item);
    const whole = items.filter((item) => ownBytes(item) > 30_000);
    assert.equal(whole.length, 12);
    for (const item of items) if (!whole.includes(item)) assert.ok(ownBytes(item) < 300);
  });

  it('are stored whole if they are small', () => {
    const [older, newer] = [revisionOf(1, 'x'.repeat(10_000), 'a'), revisionOf(2, 'x'.repeat(10_000), 'b')];
    replaced(older, newer);
    assert.equal(ownBytes(older), older.body.length);
  });
});
