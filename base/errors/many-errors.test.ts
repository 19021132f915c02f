import assert from 'node:assert/strict';
import { invalidValue } from './field-error.ts';
import { invalid } from './status-error.ts';

describe('a refusal with very many errors', () => {
  const errorsOf = (count: number, value: string) =>
    Array.from({ length: count }, (_, i) => invalidValue(`f[${i}]`, value, 'no'));

  it('tells the first thousand, and how many more there are', () => {
    const { status } = invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(5000, 'v'));
    assert.equal(status.details?.causes?.length, 1000);
    assert.match(status.message ?? '', /f\[999\]: Invalid value: "v": no, and 4000 more\]$/);
  });

  it('tells fewer that are long, but always one', () => {
    const { status } = invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(10, 'v'.repeat(300_000)));
    assert.equal(status.details?.causes?.length, 3);
    assert.equal(
      invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(2, 'v'.repeat(3_000_000))).status.details?.causes?.length,
      1,
    );
  });
});
