/** A command line that runs with this client and with the field's client. Both must have the same output. */
export interface Comparison {
  /** The words after the program's name, in the syntax of a shell. */
  readonly line: string;
  readonly input?: string;
  /** Texts of files by their paths in a folder, which is FOLDER in `line`. */
  readonly files?: Readonly<Record<string, string>>;
  /** The reason why the outputs differ on purpose. The number of such lines must only decrease. */
  readonly meant?: string;
  /**
   * Whether the other program prints in the order of a map, which differs in every call. Both outputs are then compared
   * as sorted lines.
   */
  readonly anyOrder?: boolean;
  /**
   * Lines that the other program runs before, in one namespace for each program. `line` also runs in these namespaces
   * (`-n`). Both namespaces are shown as NAMESPACE.
   */
  readonly before?: readonly string[];
  /** The standard input of the lines in `before`. */
  readonly given?: string;
  /** A line that the other program runs afterwards in both namespaces. The two outputs must be equal. */
  readonly after?: string;
}
