/** Instructions about proposals for a shell. They are bits that can be combined. */
export const DIRECTIVES = { default: 0, noSpace: 2, noFiles: 4, filterExtensions: 8 } as const;

/** The names of the instructions, which scripts of shells print when they are debugged. */
const NAMES = new Map<number, string>([
  [DIRECTIVES.noSpace, 'ShellCompDirectiveNoSpace'],
  [DIRECTIVES.noFiles, 'ShellCompDirectiveNoFileComp'],
  [DIRECTIVES.filterExtensions, 'ShellCompDirectiveFilterFileExt'],
]);

/** Proposals for a word. */
export interface Proposal {
  readonly words: readonly ProposedWord[];
  readonly directive: number;
}

export interface ProposedWord {
  readonly text: string;
  /** The meaning of the word, if it is known. */
  readonly help?: string;
}

/** Proposed words without explanations. */
export function plainWords(texts: readonly string[]): ProposedWord[] {
  return texts.map((text) => ({ text }));
}

export const nothing: Proposal = { words: [], directive: DIRECTIVES.default };

/** The names of a directive. */
export function namesOfDirective(directive: number): string {
  const names = [...NAMES].filter(([bit]) => (directive & bit) !== 0).map(([, name]) => name);
  return names.length === 0 ? 'ShellCompDirectiveDefault' : names.join(', ');
}
