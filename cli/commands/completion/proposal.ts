/** What a shell is to do with proposals: bits that may be joined. */
export const DIRECTIVES = { default: 0, noSpace: 2, noFiles: 4, filterExtensions: 8 } as const;

/** Their names, which scripts of shells print when they are debugged. */
const NAMES = new Map<number, string>([
  [DIRECTIVES.noSpace, 'ShellCompDirectiveNoSpace'],
  [DIRECTIVES.noFiles, 'ShellCompDirectiveNoFileComp'],
  [DIRECTIVES.filterExtensions, 'ShellCompDirectiveFilterFileExt'],
]);

/** What may stand for the word. */
export interface Proposal {
  readonly words: readonly ProposedWord[];
  readonly directive: number;
}

export interface ProposedWord {
  readonly text: string;
  /** What it means, where that is known. */
  readonly help?: string;
}

/** Words without what they mean. */
export function plainWords(texts: readonly string[]): ProposedWord[] {
  return texts.map((text) => ({ text }));
}

export const nothing: Proposal = { words: [], directive: DIRECTIVES.default };

/** The names of a directive. */
export function namesOfDirective(directive: number): string {
  const names = [...NAMES].filter(([bit]) => (directive & bit) !== 0).map(([, name]) => name);
  return names.length === 0 ? 'ShellCompDirectiveDefault' : names.join(', ');
}
