import assert from 'node:assert/strict';
import { WarningList } from './warnings.ts';

function headers(...texts: readonly string[]): string[] {
  const list = new WarningList();
  for (const text of texts) list.add(text);
  return list.headers;
}

describe('Warning headers of a response', () => {
  it('are quoted, and contain each text once and in order', () => {
    assert.deepEqual(headers('b "c"', 'a\\', 'b "c"'), ['299 - "b \\"c\\""', '299 - "a\\\\"']);
  });

  it('leave out texts that a header cannot contain', () => {
    assert.deepEqual(headers('line\nbreak', 'tab\there', '', 'fine'), ['299 - "fine"']);
  });

  it('are complete if all of them fit into 4096 characters, and shortened otherwise', () => {
    assert.equal(headers('x'.repeat(4096))[0]!.length, 4096 + '299 - ""'.length);
    assert.equal(headers('x'.repeat(4097))[0]!.length, 256 + '299 - ""'.length);
    const many = headers(...Array.from({ length: 20 }, (_, i) => String(i).padEnd(1000, 'x')));
    assert.equal(many.length, 16);
    assert.ok(many.every((text) => text.length === 256 + '299 - ""'.length));
  });

  it('from webhooks are always shortened to 256 characters, but those of the server are not', () => {
    const list = new WarningList();
    list.add('s'.repeat(477));
    list.addForeign('w'.repeat(300));
    list.addForeign('\u{1f600}'.repeat(300));
    list.addForeign('short');
    assert.deepEqual(
      list.texts.map((text) => [...text].length),
      [477, 256, 256, 5],
    );
  });

  it('leave out all texts after the first one that exceeds the limit', () => {
    const lengths = (...texts: readonly number[]) =>
      headers(...texts.map((length, i) => String.fromCharCode(97 + i).repeat(length))).map(
        (text) => text.length - '299 - ""'.length,
      );
    const full = Array.from({ length: 15 }, () => 256);
    assert.deepEqual(lengths(...full, 256), [...full, 256]);
    assert.deepEqual(lengths(...full, 200, 256), [...full, 200], '296 more would be 4296');
    assert.deepEqual(lengths(...full, 200, 256, 10), [...full, 200], 'also what is short enough');
    assert.deepEqual(lengths(...full, 200, 56), [...full, 200, 56]);
  });

  it('are shortened between characters, and sent as UTF-8', () => {
    const [first] = headers('\u{1f600}'.repeat(5000));
    assert.equal(Buffer.from(first!, 'latin1').toString(), `299 - "${'\u{1f600}'.repeat(256)}"`);
  });
});
