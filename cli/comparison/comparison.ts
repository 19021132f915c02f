/** A command line that is run by this client and by the field's own, which must say the same. */
export interface Comparison {
  /** The words after the program's name, as a shell takes them. */
  readonly line: string;
  readonly input?: string;
  /** Why they differ, where that is meant. The list of these only ever shrinks. */
  readonly meant?: string;
  /** Command lines (without `meant` and output) that come before, with which it shares its namespace. */
  readonly before?: readonly string[];
}
