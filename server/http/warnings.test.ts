import assert from 'node:assert/strict';
import { WarningList } from './warnings.ts';

function headers(...texts: readonly string[]): string[] {
  const list = new WarningList();
  for (const text of texts) list.add(text);
  return list.headers;
}

describe('warnings of an answer', () => {
  it('are quoted, each once, in order', () => {
    assert.deepEqual(headers('b "c"', 'a\\', 'b "c"'), ['299 - "b \\"c\\""', '299 - "a\\\\"']);
  });

  it('leave out what no header can hold', () => {
    assert.deepEqual(headers('line\nbreak', 'tab\there', '', 'fine'), ['299 - "fine"']);
  });

  it('are long as long as all of them fit into 4096 characters', () => {
    assert.equal(headers('x'.repeat(4096))[0]!.length, 4096 + '299 - ""'.length);
    assert.equal(headers('x'.repeat(4097))[0]!.length, 256 + '299 - ""'.length);
    const many = headers(...Array.from({ length: 20 }, (_, i) => String(i).padEnd(1000, 'x')));
    assert.equal(many.length, 16);
    assert.ok(many.every((text) => text.length === 256 + '299 - ""'.length));
  });

  it('are cut between characters, which are sent as UTF-8', () => {
    const [first] = headers('\u{1f600}'.repeat(5000));
    assert.equal(Buffer.from(first!, 'latin1').toString(), `299 - "${'\u{1f600}'.repeat(256)}"`);
  });
});
