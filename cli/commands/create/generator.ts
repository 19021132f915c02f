import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fieldManagerFlag, validateFlag } from '../../resources/flags.ts';
import { asTyped, declaredKind } from '../../typed/typed-object.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { lastApplied, typedConfigurationOf } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';

/** The object that words and flags describe, without the common parts, which the command adds later. */
export type Described = Omit<ApiObject, 'metadata' | 'kind' | 'apiVersion'> & {
  readonly metadata?: Partial<ApiObject['metadata']>;
};

/** How `create TYPE NAME` makes an object from its flags. */
export interface Generator {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly short: string;
  /** The words after the name in the usage. */
  readonly usage: string;
  readonly examples: string;
  readonly flags: readonly Flag[];
  /** The flags that a user must give. */
  readonly required?: readonly string[];
  /** The version with the short name of the group, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The text before the server's refusal. Undefined means that the refusal is shown alone. */
  readonly failure?: string;
  /** Whether words after `--` are the command of a container. */
  readonly takesCommand?: true;
  /** @throws CommandError if a flag or an argument is wrong */
  readonly describe: (
    name: string,
    invocation: Invocation,
    command: readonly string[],
  ) => Described | Promise<Described>;
}

/** The flags of all commands that create objects. */
export const createFlags: readonly Flag[] = [
  dryRunFlag,
  fieldManagerFlag('orchctl-create'),
  ...outputFlags(),
  {
    name: 'save-config',
    type: 'bool',
    help: 'Store the configuration in an annotation of the object, for a later apply',
  },
  validateFlag,
];

/** The kinds for which the client accepts an empty name. The server then refuses the object. */
const NAMED_BY_SERVER = ['ClusterRoleBinding', 'CronJob', 'Deployment', 'Ingress', 'Job', 'PriorityClass', 'Service'];

/** The command of a generator. */
export function generatorCommand(generator: Generator): Command {
  const { name, aliases, short, usage, examples, flags, takesCommand, required = [] } = generator;
  return {
    ...{ name, short, examples, flags: [...flags, ...createFlags], required },
    ...(aliases === undefined ? {} : { aliases }),
    usage: `NAME ${usage}${takesCommand === true ? ' -- [COMMAND] [args...]' : ''}`.trim(),
    run: (invocation) => generate(generator, invocation),
  };
}

async function generate(generator: Generator, invocation: Invocation): Promise<undefined> {
  const { flags, session } = invocation;
  requireFlags(invocation);
  const { name, command } = oneName(invocation, generator.takesCommand === true);
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun, true);
  const options = await writeOptions(invocation, '-create', dryRun);
  const { metadata, ...rest } = await generator.describe(name, invocation, command);
  if (name === '' && !NAMED_BY_SERVER.includes(generator.kind)) throw new CommandError('name must be specified');
  const naming = await session.naming();
  const [group = '', version] = generator.apiVersion.includes('/') ? generator.apiVersion.split('/') : ['', 'v1'];
  const apiVersion = group === '' ? 'v1' : `${naming.group(group)}/${version}`;
  const { kind, namespaced } = generator;
  const place = namespaced && session.settings.namespaceGiven ? { namespace: session.namespace } : {};
  let object = asObject({
    ...{ kind, apiVersion },
    metadata: { name, creationTimestamp: null, ...place, ...metadata },
    ...rest,
  });
  const declared = await declaredKind(session, object);
  const typed = (one: ApiObject) => (declared === undefined ? one : asTyped(one, declared));
  object = typed(object);
  if (flags.bool('save-config')) object = await lastApplied(session).put(object, typedConfigurationOf(object));
  const type = await session.typeOf(apiVersion, kind);
  if (type === undefined)
    throw new CommandError(`no matches for kind "${kind}" in version "${apiVersion}"`, { plain: true });
  if (dryRun !== 'client') {
    const resource = (await session.client()).resource(type).in(namespaced ? session.namespace : undefined);
    object = await resource.create(object, options).catch((error: unknown) => {
      if (generator.failure === undefined || !(error instanceof ApiError)) throw error;
      throw new CommandError(`${generator.failure} ${error.message}`);
    });
  }
  report(typed(object), type, 'created');
  return undefined;
}

/** @throws CommandError if a required flag is not given */
export function requireFlags({ flags, command }: Invocation): void {
  const missing = (command.required ?? []).filter((name) => !flags.has(name));
  if (missing.length > 0)
    throw new CommandError(`required flag(s) ${missing.map((name) => `"${name}"`).join(', ')} not set`);
}

/** The only name of the line, and the command after `--`. @throws UsageError if there is not exactly one name */
export function oneName(
  { args, beforeDash }: Invocation,
  takesCommand: boolean,
): { readonly name: string; readonly command: readonly string[] } {
  const own = takesCommand && beforeDash !== undefined ? args.slice(0, beforeDash) : args;
  if (own.length !== 1) throw new UsageError(`exactly one NAME is required, got ${own.length}`);
  return { name: own[0]!, command: args.slice(own.length) };
}
