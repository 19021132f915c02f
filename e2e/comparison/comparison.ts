/** A command line that is run by this client and by the field's own, which must say the same. */
export interface Comparison {
  /** The words after the program's name, as a shell takes them. */
  readonly line: string;
  readonly input?: string;
  /** Texts of files by their paths in a folder, which is FOLDER in `line`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Why they differ, where that is meant. The list of these only ever shrinks. */
  readonly meant?: string;
  /**
   * The other program tells in the order of a map, which is another in every call: both are compared as sorted lines.
   */
  readonly anyOrder?: boolean;
  /**
   * Lines that the other program runs before, in a namespace of their own for each of both, in which `line` is run as
   * well (`-n`). Both namespaces are shown as NAMESPACE.
   */
  readonly before?: readonly string[];
  /** What the lines before read from their standard input. */
  readonly given?: string;
  /** A line that the other program runs afterwards in both namespaces: what it shows must be the same as well. */
  readonly after?: string;
}
