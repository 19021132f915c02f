import assert from 'node:assert/strict';
import { invalidValue } from './field-error.ts';
import { invalid } from './status-error.ts';

describe('an Invalid status with very many errors', () => {
  const errorsOf = (count: number, value: string) =>
    Array.from({ length: count }, (_, i) => invalidValue(`f[${i}]`, value, 'no'));

  it('lists the first thousand and counts the rest', () => {
    const { status } = invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(5000, 'v'));
    assert.equal(status.details?.causes?.length, 1000);
    assert.match(status.message ?? '', /f\[999\]: Invalid value: "v": no, and 4000 more\]$/);
  });

  it('lists fewer errors if they are long, but at least one', () => {
    const { status } = invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(10, 'v'.repeat(300_000)));
    assert.equal(status.details?.causes?.length, 3);
    assert.equal(
      invalid({ group: '', kind: 'Pod' }, 'x', errorsOf(2, 'v'.repeat(3_000_000))).status.details?.causes?.length,
      1,
    );
  });
});
