import type { Session } from '../connection/session.ts';
import type { Flag, Flags } from '../framework/flag.ts';
import type { Io } from '../framework/io.ts';

/** One call of a command. */
export interface Invocation {
  readonly command: Command;
  /** All commands of the program. */
  readonly commands: readonly CommandEntry[];
  /** The program and the commands that led here: `orchctl config view`. */
  readonly path: string;
  readonly flags: Flags;
  readonly args: readonly string[];
  /** The number of `args` before `--`. Undefined means that there was no `--`. */
  readonly beforeDash: number | undefined;
  readonly io: Io;
  readonly session: Session;
}

/** A command, or a group of commands. In texts, `{}` means the program's name. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The explanation in one line. */
  readonly short: string;
  /** A longer text for the help. */
  readonly long?: string;
  /** Each example is a line `# explanation`, the command, and an empty line. */
  readonly examples?: string;
  /** The words after the command's name in its usage, such as `TYPE NAME`. The help adds the options. */
  readonly usage?: string;
  readonly flags?: readonly Flag[];
  /** The flags that a user must give. */
  readonly required?: readonly string[];
  readonly subcommands?: readonly CommandEntry[];
  /**
   * Whether a call of the group without a subcommand is a mistake. The program then prints the group's help to the
   * error stream, and the call fails.
   */
  readonly needsSubcommand?: true;
  /** Runs the command and resolves to the exit code, 0 by default. Groups do not have it. */
  readonly run?: (invocation: Invocation) => Promise<number | undefined>;
  /** The exit code of a failure, for commands in which 1 has another meaning. */
  readonly failureCode?: number;
  /** Proposes texts for the last of `args`, which is the beginning of a word. */
  readonly complete?: (invocation: Invocation) => Promise<readonly string[]>;
  /** Whether all words after the command's name are arguments, even words that look like flags. */
  readonly literal?: true;
}

/**
 * A command in the table of commands. It consists of the data for lists and a function that loads the rest, so each
 * call loads only its own command.
 */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly short: string;
  /** The heading above the command in the program's help. */
  readonly group?: string;
  readonly hidden?: true;
  readonly load: () => Promise<Command>;
}

/** The entry of a command that is already loaded, such as a subcommand in the same file. */
export function entryOf(command: Command): CommandEntry {
  const { name, short, aliases } = command;
  return { name, short, ...(aliases === undefined ? {} : { aliases }), load: async () => command };
}
