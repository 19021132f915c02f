import fc from 'fast-check';

const codePoint = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    { weight: 3, arbitrary: fc.integer({ min: 0x100, max: 0xd7ff }) },
    { weight: 4, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((code) => String.fromCodePoint(code));

/** Text of any characters. fast-check's own takes seconds once in each process, for a table of all that there are. */
export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}
