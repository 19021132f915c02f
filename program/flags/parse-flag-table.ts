import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { flagText } from './flag-texts.ts';
import { type FlagValue, type FlagValueTypes, readFlagValue, sameFlagValue } from './flag-values.ts';

/** The flags of one start of a program with this table. Every known flag has a value. */
export interface FlagsOf<Row extends FlagDefinition> {
  readonly naming: Naming;
  /** The given value, or the default, or the zero value of the flag's type. */
  get<Name extends Row['name']>(name: Name): FlagValueTypes[Extract<Row, { readonly name: Name }>['type']];
  /** Whether the flag was given, even with its default value. */
  isSet(name: Row['name']): boolean;
  /** Flags whose value differs from the default, with name and value as they were written. They are for the log. */
  readonly changed: readonly (readonly [name: string, value: string])[];
  /** All flags: their names and values in readable form. */
  readonly shown: readonly (readonly [name: string, value: string])[];
  /** Messages for the operator, for example that a flag is deprecated. */
  readonly warnings: readonly string[];
}

/** A request for information instead of a start. */
export type InvocationOf<Row extends FlagDefinition> =
  | { readonly show: 'help' | 'version'; readonly naming: Naming }
  | { readonly flags: FlagsOf<Row> };

/**
 * Reads the command line: `--name=value`, `--name value`, `--switch`, `-v2`, repeated flags. An underscore in a name
 * counts as a dash. A flag without effect is refused, unless its value describes the actual behavior.
 * @throws ConfigError that names the flag to change
 */
export function parseFlagTable<Row extends FlagDefinition>(
  argv: readonly string[],
  table: readonly FlagDefinition[],
): InvocationOf<Row> {
  const given = collect(argv, table);
  const naming = chooseNaming(given.get('naming'));
  if (given.has('help')) return { show: 'help', naming };
  if (given.has('version')) return { show: 'version', naming };
  const values = new Map<string, FlagValue>();
  const changed: (readonly [string, string])[] = [];
  const warnings: string[] = [];
  for (const definition of table) {
    const name = definition.name;
    const shown = spellFlag(name, naming);
    const fallback = readFlagValue(definition.type, defaultTexts(definition, naming));
    const texts = given.get(name);
    if (texts === undefined) {
      values.set(name, fallback);
      continue;
    }
    const value = readNamed(shown, definition, texts);
    values.set(name, value);
    if (definition.deprecated) warnings.push(`Flag --${shown} is deprecated and will be removed.`);
    if (sameFlagValue(value, fallback)) continue;
    if (!definition.built) throw new ConfigError(withoutEffect(shown, definition, naming));
    changed.push([shown, texts.join(',')]);
  }
  return {
    flags: {
      naming,
      get: <Name extends Row['name']>(name: Name) =>
        values.get(name) as FlagValueTypes[Extract<Row, { readonly name: Name }>['type']],
      isSet: (name) => given.has(name),
      changed,
      shown: table.map(({ name, type }) => [spellFlag(name, naming), flagText(type, values.get(name)!)]),
      warnings,
    },
  };
}

/** The command-line spelling of a flag's name in this naming. */
export function spellFlag(name: string, naming: Naming): string {
  return name.replace('{product}', naming.product).replace('{prefix}', naming.prefixed(''));
}

/** The default as text; undefined for the zero value. */
export function defaultText(definition: FlagDefinition, naming: Naming): string | undefined {
  return typeof definition.default === 'function' ? definition.default(naming) : definition.default;
}

function defaultTexts(definition: FlagDefinition, naming: Naming): readonly string[] {
  const text = defaultText(definition, naming);
  return text === undefined ? [] : [text];
}

/** The given texts by the name of the flag in the table. */
function collect(argv: readonly string[], table: readonly FlagDefinition[]): Map<string, string[]> {
  const types = new Map<string, readonly [name: string, type: string]>();
  for (const { name, type } of table)
    for (const profile of namingProfiles) types.set(spellFlag(name, createNaming(profile)), [name, type]);
  types.set('help', ['help', 'bool']).set('h', ['help', 'bool']).set('version', ['version', 'bool']);
  const given = new Map<string, string[]>();
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    const [, written, value] = /^-(v)(\d+)$/.exec(argument) ?? /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (written === undefined)
      throw new ConfigError(`${JSON.stringify(argument)} is not a flag; this program takes only flags (see --help)`);
    const known = types.get(written.replaceAll('_', '-'));
    if (known === undefined)
      throw new ConfigError(`unknown flag --${written}${suggestion(written, [...types.keys()])}; see --help`);
    const [name, type] = known;
    let text = value ?? (type === 'bool' ? 'true' : argv[++i]);
    if (text === undefined) throw new ConfigError(`flag --${written} needs a value: --${written}=VALUE`);
    if ((name === 'help' || name === 'version') && text === 'false') continue;
    text = type === 'bool' ? text.trim() : text;
    given.set(name, [...(given.get(name) ?? []), text]);
  }
  return given;
}

function chooseNaming(texts: readonly string[] | undefined): Naming {
  const wanted = texts?.at(-1) ?? namingProfiles[0];
  const profile = namingProfiles.find((known) => known === wanted);
  if (profile === undefined)
    throw new ConfigError(
      `invalid value ${JSON.stringify(wanted)} for flag --naming: choose one of ${namingProfiles.join(', ')}`,
    );
  return createNaming(profile);
}

function readNamed(shown: string, definition: FlagDefinition, texts: readonly string[]): FlagValue {
  try {
    return readFlagValue(definition.type, texts);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`invalid value for flag --${shown}: ${error.message}`);
    throw error;
  }
}

function withoutEffect(shown: string, definition: FlagDefinition, naming: Naming): string {
  const normal = defaultText(definition, naming);
  return (
    `flag --${shown} is known, but this version does not act on it yet: ` +
    `remove it${normal === undefined ? '' : ` or leave it at ${JSON.stringify(normal)}`}`
  );
}

/** Suggests a flag whose name differs in few letters. */
function suggestion(written: string, names: readonly string[]): string {
  const near = names.filter((name) => name.length > 3 && distance(written, name) <= 2);
  return near.length === 0 ? '' : ` (did you mean --${near[0]}?)`;
}

function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
