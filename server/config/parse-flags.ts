import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { type FlagsOf, type InvocationOf, parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { type FlagRow, flagTable } from './flags/flag-table.ts';

/** The flags of one start of the API server. */
export type Flags = FlagsOf<FlagRow>;

/** A request for information instead of a start. */
export type Invocation = InvocationOf<FlagRow>;

/**
 * Reads the command line of the API server, see {@link parseFlagTable}.
 * @throws ConfigError with advice
 */
export function parseFlags(argv: readonly string[], table: readonly FlagDefinition[] = flagTable): Invocation {
  return parseFlagTable<FlagRow>(argv, table);
}
