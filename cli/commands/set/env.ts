import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { labelSelectorFlag, namesFiles } from '../../resources/flags.ts';
import type { Found } from '../../resources/found.ts';
import { changeObjects, setFlags } from './change-objects.ts';
import {
  type Container,
  chosenContainers,
  containersFlag,
  type EnvVar,
  maybePodSpecOf,
  podSpecOf,
} from './containers.ts';
import { importedFrom } from './env-sources.ts';
import { listEnv } from './list-env.ts';

/** Changes to the variables of containers. */
export interface EnvChanges {
  readonly set: readonly EnvVar[];
  readonly removed: readonly string[];
}

export const setEnv: Command = {
  name: 'env',
  short: 'Update environment variables on a pod template',
  examples: [
    '# Set a variable, remove it, and list all variables',
    '{} set env deployment/web LEVEL=debug',
    '{} set env deployment/web LEVEL-',
    '{} set env deployment/web --list',
    '',
    '# Set a variable for each key of a secret, with the prefix DB_',
    '{} set env deployment/web --from=secret/database --prefix=DB_',
    '',
    '# Set variables of this shell',
    'env | grep APP_ | {} set env -e - deployment/web',
  ].join('\n'),
  usage: 'RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N',
  flags: [
    ...setFlags,
    containersFlag,
    {
      name: 'env',
      short: 'e',
      type: 'texts',
      help: 'Environment variable to set: KEY=VALUE; - reads such lines from standard input',
    },
    { name: 'from', type: 'string', help: 'Config map or secret whose keys become environment variables' },
    { name: 'keys', type: 'strings', help: 'Use only these keys of --from' },
    { name: 'list', type: 'bool', help: 'List the environment variables' },
    {
      name: 'overwrite',
      type: 'bool',
      default: true,
      help: 'Change variables that already exist; =false makes them an error',
    },
    { name: 'prefix', type: 'string', help: 'Prefix for the names of the variables of --from' },
    { name: 'resolve', type: 'bool', help: 'With --list, show the values that references point to' },
    labelSelectorFlag,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { args, flags } = invocation;
  const isChange = (word: string) => /^[^=]+=/s.test(word) || word.endsWith('-');
  const at = args.findIndex(isChange);
  const words = at < 0 ? args : args.slice(0, at);
  const given = at < 0 ? [] : args.slice(at);
  if (!given.every(isChange))
    throw new CommandError(`all resources must be specified before environment changes: ${args.join(' ')}`);
  if (words.length === 0 && !namesFiles(flags))
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  if (flags.bool('list') && flags.text('output') !== '')
    throw new CommandError('--list and --output may not be specified together');
  if (flags.list('keys').length > 0 && flags.text('from') === '')
    throw new CommandError('when specifying --keys, a configmap or secret must be provided with --from');
  const changes = await changesOf(invocation, [...flags.list('env'), ...given]);
  const apply = (object: ApiObject, one: Found) => setEnvOf(invocation, object, one, changes);
  if (flags.bool('list')) return listEnv(invocation, words, apply);
  return changeObjects(invocation, words, {
    done: 'env updated',
    failure: 'failed to patch env update to pod template:',
    apply: (object, one) => {
      podSpecOf(object, one);
      apply(object, one);
    },
  });
}

/**
 * Changes the variables of an object's containers, and returns these containers.
 * @throws CommandError for a wrong change
 */
function setEnvOf({ flags, io }: Invocation, object: ApiObject, { type }: Found, changes: EnvChanges): Container[] {
  const pods = maybePodSpecOf(object, type.kind);
  if (pods === undefined) return [];
  const containers = chosenContainers(pods, flags.text('containers'));
  if (containers.length === 0)
    io.err.write(
      `Warning: ${type.kind}/${object.metadata.name} does not have any containers matching ${JSON.stringify(flags.text('containers'))}\n`,
    );
  for (const container of containers) {
    const present = container.env ?? [];
    const taken = present.find(({ name, value = '' }) =>
      changes.set.some((each) => each.name === name && (each.value ?? '') !== value),
    );
    if (!flags.bool('overwrite') && taken !== undefined)
      throw new CommandError(
        `${type.plural}/${object.metadata.name} '${taken.name}' already has a value (${taken.value ?? ''}), and --overwrite is false`,
      );
    const env = changed(present, changes);
    if (env.length > 0) container.env = env;
    else delete container.env;
  }
  return containers;
}

/**
 * Existing variables keep their positions, and new variables come last. Of several changes with one name, the first is
 * used.
 */
function changed(present: readonly EnvVar[], { set, removed }: EnvChanges): EnvVar[] {
  const env: EnvVar[] = [];
  const seen = new Set(removed);
  for (const each of present) {
    if (seen.has(each.name)) continue;
    const newer = set.find(({ name }) => name === each.name);
    if (newer !== undefined) seen.add(each.name);
    env.push(newer ?? each);
  }
  for (const each of set) {
    if (seen.has(each.name)) continue;
    seen.add(each.name);
    env.push(each);
  }
  return env;
}

async function changesOf(invocation: Invocation, words: readonly string[]): Promise<EnvChanges> {
  const { flags, io } = invocation;
  const set: EnvVar[] = [];
  const removed: string[] = [];
  for (const word of words) {
    const equals = word.indexOf('=');
    if (word === '-') set.push(...fromLines(await io.readInput()));
    else if (equals >= 0) set.push(variable(word));
    else if (word.endsWith('-')) removed.push(word.slice(0, -1));
    else throw new CommandError(`unknown environment variable: ${word}`);
  }
  if (removed.some((name) => set.some((each) => each.name === name)))
    throw new CommandError('can not both modify and remove the same environment variable in the same command');
  if (flags.text('from') !== '') set.push(...(await importedFrom(invocation)));
  const prefix = flags.text('prefix');
  return { set: set.map((each) => ({ ...each, name: `${prefix}${each.name}` })), removed };
}

const NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** @throws CommandError if the text is malformed */
function variable(text: string): EnvVar {
  const equals = text.indexOf('=');
  const name = text.slice(0, equals);
  if (!NAME.test(name))
    throw new CommandError(
      `${JSON.stringify(name)} is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')`,
    );
  return { name, value: text.slice(equals + 1) };
}

/** Parses lines in the format of `env`. Skips comments and empty lines. */
function fromLines(text: string): EnvVar[] {
  return text
    .split('\n')
    .filter((line) => line.includes('=') && !line.startsWith('#'))
    .map((line) => ({ name: line.slice(0, line.indexOf('=')), value: line.slice(line.indexOf('=') + 1) }));
}
