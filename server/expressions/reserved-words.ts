/** Words of the language, and words that are reserved for later. None of them can be the name of a variable. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
