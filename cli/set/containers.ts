import { ApiError } from '../../client/errors.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError, throwAll } from '../frame/errors.ts';
import type { Flag } from '../frame/flag.ts';
import { outputFlags } from '../output/printer.ts';
import { dryRunFlag, fieldManagerFlag, fileFlags, labelSelectorFlag } from '../resources/flags.ts';
import { type Found, found } from '../resources/found.ts';
import { select } from '../resources/selection.ts';
import { dryRunOf } from '../write/dry-run.ts';
import { reporter } from '../write/report.ts';
import { writeOptions } from '../write/write-options.ts';

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

export interface Containers {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

export const containerFlags: readonly Flag[] = [
  { name: 'all', type: 'bool', help: 'All objects of the types that are named' },
  dryRunFlag,
  fieldManagerFlag('orchctl-set'),
  ...fileFlags,
  ...outputFlags(),
  labelSelectorFlag,
];

/** Where in an object the specification of its pods is. */
function podPath(kind: string): readonly string[] {
  if (kind === 'Pod') return ['spec'];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template', 'spec'] : ['spec', 'template', 'spec'];
}

/** The specification of an object's pods; undefined where it has none. */
export function podSpecOf(kind: string, object: ApiObject): Containers | undefined {
  let value: unknown = object;
  for (const part of podPath(kind)) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  return (value as Containers | undefined)?.containers === undefined ? undefined : (value as Containers);
}

/** Splits arguments: those that name objects, and those that say what to set. */
export function splitWords(args: readonly string[], isChange: (word: string) => boolean): [string[], string[]] {
  return [args.filter((arg) => !isChange(arg)), args.filter(isChange)];
}

/**
 * Has the containers of all selected objects patched. `patchOf` says how those of one object change: undefined where they
 * do not. Objects that stay as they are are not told of.
 */
export async function patchContainers(
  invocation: Invocation,
  words: readonly string[],
  what: 'image' | 'env',
  patchOf: (pods: Containers, one: Found) => Containers | undefined,
): Promise<undefined> {
  const { flags, session, io } = invocation;
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun);
  const selection = await select(session, flags, { args: words, all: flags.bool('all'), nothing });
  const errors: unknown[] = [...selection.errors];
  for await (const one of found(session, selection, (error) => errors.push(error))) {
    try {
      const { type, object } = one;
      const pods = podSpecOf(type.kind, object);
      if (pods === undefined)
        throw new CommandError(`${type.plural}/${object.metadata.name} no pod template found: ${type.kind}`);
      const change = patchOf(pods, one);
      if (change === undefined) continue;
      const patch = podPath(type.kind).reduceRight<object>((inner, part) => ({ [part]: inner }), change);
      let changed = object;
      if (dryRun !== 'client') {
        const resource = (await session.client()).resource(type).in(object.metadata.namespace);
        const options = await writeOptions(invocation, '-set', dryRun);
        changed = await resource.patch(object.metadata.name!, 'strategic', patch, options).catch((error: unknown) => {
          throw refused(error, what);
        });
      }
      report(changed, type, `${what} updated`);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

function refused(error: unknown, what: string): unknown {
  if (!(error instanceof ApiError)) return error;
  return new CommandError(`failed to patch ${what} update to pod template: ${error.message}`);
}

const nothing = () =>
  new CommandError(
    "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
  );
