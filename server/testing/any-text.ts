import fc from 'fast-check';

const codePoint = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    { weight: 3, arbitrary: fc.integer({ min: 0x100, max: 0xd7ff }) },
    { weight: 4, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((code) => String.fromCodePoint(code));

/**
 * Text with any characters. fast-check's arbitrary builds a table of all characters once in each process, which takes
 * seconds.
 */
export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}
