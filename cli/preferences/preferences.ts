import path from 'node:path';
import { CommandError } from '../framework/errors.ts';

/** The value of a flag that the command line does not give. */
export interface Option {
  /** The name of the flag, without dashes. */
  readonly name: string;
  readonly default: string;
}

/** The flags of a command whose defaults differ. */
export interface CommandDefaults {
  /** The words of the command, such as `set env`. */
  readonly command: string;
  readonly options?: readonly Option[];
}

/** A word that means a command, some of its flags and arguments. */
export interface Alias extends CommandDefaults {
  readonly name: string;
  /** The arguments before those of the command line. */
  readonly prependArgs?: readonly string[];
  /** The words after those of the command line. */
  readonly appendArgs?: readonly string[];
}

/** The programs that may run to get credentials. */
export interface PluginPolicy {
  readonly policy: string;
  /** Names or paths of programs. Undefined means that there is no list. */
  readonly allowed: readonly string[] | undefined;
}

/** The preferences of a user. */
export interface Preferences {
  readonly defaults: readonly CommandDefaults[];
  readonly aliases: readonly Alias[];
  readonly plugins: PluginPolicy;
}

/**
 * Checks preferences before they are applied.
 * @throws CommandError if they are wrong
 */
export function checkPreferences({ defaults, aliases, plugins }: Preferences): void {
  const names = new Set<string>();
  for (const { name, options } of aliases) {
    if (!/^[a-zA-Z]+$/.test(name))
      throw new CommandError('invalid alias name, can only include alphabetical characters');
    checkOptions(options);
    if (names.has(name)) throw new CommandError(`duplicate alias name ${name}`);
    names.add(name);
  }
  for (const { options } of defaults) checkOptions(options);
  checkPlugins(plugins);
}

function checkOptions(options: readonly Option[] = []): void {
  const dashed = options.find(({ name }) => name.startsWith('-'));
  if (dashed !== undefined) throw new CommandError(`flag name ${dashed.name} should be in long form without dashes`);
}

/** The possible policies. The first also applies if there is no policy. */
const POLICIES = ['AllowAll', 'DenyAll', 'Allowlist'] as const;

function checkPlugins({ policy, allowed }: PluginPolicy): void {
  const quoted = JSON.stringify(policy);
  if (policy !== '' && !POLICIES.some((known) => known === policy))
    throw new CommandError(`unknown plugin policy: ${quoted}`);
  if (policy !== 'Allowlist') {
    if (allowed === undefined) return;
    throw new CommandError(
      `misconfigured credential plugin allowlist: plugin policy is ${quoted} but allowlist is non-nil`,
    );
  }
  if (allowed === undefined)
    throw new CommandError(`credential plugin policy set to ${quoted}, but allowlist is unspecified`);
  if (allowed.length === 0)
    throw new CommandError(
      `credential plugin policy set to ${quoted}, but allowlist is empty; use "DenyAll" policy instead`,
    );
  allowed.forEach((program, at) => {
    if (program === '')
      throw new CommandError(`misconfigured credential plugin allowlist: empty allowlist entry #${at + 1}`);
    const clean = path.normalize(program).replace(/(.)\/$/, '$1');
    if (clean !== program)
      throw new CommandError(`non-normalized file path: ${JSON.stringify(program)} vs ${JSON.stringify(clean)}`);
  });
}
