import { cloneJson } from '#base/json/clone-json.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { outputFlags } from '../../output/printer.ts';
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  fileFlags,
  localFlag,
  needFilesIfLocal,
} from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { type Selection, select } from '../../resources/selection.ts';
import { recorded } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { messageOf } from '../../write/shape.ts';
import { threeWayPatch } from '../../write/three-way-patch.ts';
import { writeOptions } from '../../write/write-options.ts';
import { localForm } from './local-form.ts';

export const setFlags: readonly Flag[] = [
  allFlag,
  dryRunFlag,
  fieldManagerFlag('orchctl-set'),
  ...fileFlags,
  localFlag,
  ...outputFlags(),
];

/** A change that one command of `set` makes in objects. */
export interface Change {
  /** The text that the command prints after the name of a changed object. */
  readonly done: string;
  /** The beginning of the error message if the server refuses a change. */
  readonly failure: string;
  /**
   * Runs after the objects have been selected, and before the first change.
   * @throws CommandError to prevent all changes
   */
  readonly begin?: () => void;
  /**
   * Changes a copy of an object. It calls `fail` for an error after which the command still writes its other changes.
   *
   * @throws CommandError if the object cannot be changed
   */
  readonly apply: (object: ApiObject, one: Found, fail: (error: CommandError) => void) => void | Promise<void>;
  /** Whether the command writes and reports an object even if nothing in it changes. */
  readonly always?: true;
}

/** Changes all objects that arguments, files and selectors name. Objects without changes are not reported. */
export async function changeObjects(
  invocation: Invocation,
  words: readonly string[],
  { done, failure, begin, apply, always }: Change,
): Promise<undefined> {
  const { flags, session, io } = invocation;
  const local = flags.bool('local');
  const dryRun = dryRunOf(invocation);
  if (local && dryRun === 'server')
    throw new CommandError('cannot specify --local and --dry-run=server - did you mean --dry-run=client?');
  const report = await reporter(invocation, local ? 'none' : dryRun, true);
  const selection = await selectToSet(invocation, words);
  begin?.();
  const errors: unknown[] = [...selection.errors];
  for await (const one of foundToSet(invocation, selection, errors)) {
    try {
      const { type, object, target } = one;
      let changed = local ? localForm(cloneJson(object), type.kind) : cloneJson(object);
      const before = cloneJson(changed);
      await apply(changed, one, (error) => errors.push(error));
      changed = await recorded(invocation, changed);
      if (jsonEqual(before as unknown as JsonValue, changed as unknown as JsonValue) && always === undefined) continue;
      if (!local && dryRun !== 'client') {
        const message = await messageOf(session, target);
        const [from, to] = [object, changed] as unknown as [JsonObject, JsonObject];
        const patch = threeWayPatch(from, to, from, shapeOf(message));
        const resource = (await session.client()).resource(type).in(object.metadata.namespace);
        const options = await writeOptions(invocation, '-set', dryRun);
        const form = message === undefined ? 'merge' : 'strategic';
        changed = await resource.patch(object.metadata.name!, form, patch, options).catch((error: unknown) => {
          if (!(error instanceof ApiError) || failure === '') throw error;
          throw new CommandError(`${failure} ${error.message}`);
        });
      }
      report(changed, type, done);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

/**
 * The objects to change. With `--local`, these are only the objects of files.
 * @throws CommandError for wrong arguments
 */
export async function selectToSet({ flags, session }: Invocation, words: readonly string[]): Promise<Selection> {
  needFilesIfLocal(flags);
  return select(session, flags, {
    args: words,
    // If the arguments name objects, `--all` has no effect.
    ...{ typeMeansAll: flags.bool('all'), all: flags.bool('all') && words.length === 0 },
    asWritten: flags.bool('local'),
  });
}

/** The selected objects, as they are on the server. With `--local`, as they are in the files. */
export async function* foundToSet(
  { flags, session }: Invocation,
  selection: Selection,
  errors: unknown[],
): AsyncGenerator<Found, void, void> {
  if (!flags.bool('local')) yield* found(session, selection, (error) => errors.push(error));
  else
    for (const target of selection.targets)
      if (target.object !== undefined) yield { type: target.type, object: target.object, target };
}
