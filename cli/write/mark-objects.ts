import type { ApiObject } from '#schema/objects/api-object.ts';
import { labelValue } from '#schema/validation/names.ts';
import type { Invocation } from '../command-line/command.ts';
import { CommandError, throwAll } from '../framework/errors.ts';
import type { Flag } from '../framework/flag.ts';
import { outputFlags } from '../output/printer.ts';
import {
  allNamespacesFlag,
  dryRunFlag,
  fieldManagerFlag,
  fieldSelectorFlag,
  fileFlags,
  labelSelectorFlag,
  namesFiles,
} from '../resources/flags.ts';
import { type Found, found } from '../resources/found.ts';
import { select } from '../resources/selection.ts';
import { recordedAnnotations, recordFlag } from './change-cause.ts';
import { dryRunOf } from './dry-run.ts';
import { reporter } from './report.ts';
import { writeOptions } from './write-options.ts';

/**
 * The texts in which the commands for labels and annotations differ. Everything else about the commands is the same.
 */
export interface Mark {
  readonly field: 'labels' | 'annotations';
  /** The name of one mark, such as `label`. */
  readonly one: string;
  /** The word for the file in errors. */
  readonly file: string;
  /** The end of the manager's name, after the program's name. */
  readonly manager: string;
  /** The word for the outcome, which is that marks were set, removed, or neither. */
  readonly done: { readonly set: string; readonly removed: string; readonly unchanged: string };
  /** Whether a message says that a key to remove is missing. */
  readonly reportsMissing: boolean;
  /** The error about all keys that already have a value. */
  readonly taken: (keys: readonly (readonly [key: string, value: string])[]) => string;
}

export function markFlags(mark: Mark): readonly Flag[] {
  return [
    { name: 'all', type: 'bool', help: 'Select all objects of the given types in the namespace' },
    allNamespacesFlag,
    dryRunFlag,
    fieldManagerFlag(`orchctl${mark.manager}`),
    fieldSelectorFlag,
    ...fileFlags,
    { name: 'list', type: 'bool', help: `Show the ${mark.field} of the objects` },
    { name: 'local', type: 'bool', help: 'Change only the content of files, without a server' },
    ...outputFlags(),
    { name: 'overwrite', type: 'bool', help: `Change ${mark.field} that already exist with another value` },
    { name: 'resource-version', type: 'string', help: 'Change the object only if it has this resource version' },
    labelSelectorFlag,
    recordFlag,
  ];
}

interface Changes {
  readonly set: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

/**
 * Runs `label` and `annotate`. They set and remove the labels or annotations that follow the objects in the arguments.
 */
export async function markObjects(invocation: Invocation, mark: Mark): Promise<undefined> {
  const { flags, session, io } = invocation;
  const { objects, changes } = parse(invocation, mark);
  const listing = flags.bool('list');
  const all = flags.bool('all');
  if (objects.length === 0 && !namesFiles(flags))
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  if (changes.set.size === 0 && changes.removed.length === 0 && !listing)
    throw new CommandError(`at least one ${mark.one} update is required`);
  if (all && flags.text('selector') !== '') throw new CommandError('cannot set --all and --selector at the same time');
  const local = flags.bool('local');
  if (local && objects.length > 0)
    throw new CommandError(
      `can only use local files by -f ${mark.file}.yaml or --filename=${mark.file}.json when --local=true is set`,
    );
  const dryRun = local ? 'client' : dryRunOf(invocation);
  const report = await reporter(invocation, dryRun === 'client' && local ? 'none' : dryRun);
  const selection = await select(session, flags, { args: objects, all, asWritten: local });
  const errors: unknown[] = [...selection.errors];
  const chosen: Found[] = [];
  if (local)
    for (const target of selection.targets)
      if (target.object !== undefined) chosen.push({ type: target.type, object: target.object, target });
  if (!local) for await (const one of found(session, selection, (error) => errors.push(error))) chosen.push(one);
  if (flags.text('resource-version') !== '' && chosen.length > 1)
    throw new CommandError('--resource-version may only be used with a single resource');
  for (const { type, object } of chosen) {
    try {
      const { [mark.field]: present = {} } = object.metadata;
      if (!flags.bool('overwrite')) refuseOverwriting(present, changes, mark);
      for (const key of changes.removed)
        if (mark.reportsMissing && !Object.hasOwn(present, key)) io.out.write(`${mark.one} "${key}" not found.\n`);
      const patch = patchOf(changes, mark, flags.text('resource-version'));
      let changed = marked(object, changes, mark);
      if (listing) {
        const indent = selection.single ? '' : ' ';
        if (!selection.single)
          io.out.write(`Listing ${mark.field} for ${type.kind}.${type.group}/${object.metadata.name ?? ''}:\n`);
        for (const [key, value] of Object.entries(changed.metadata[mark.field] ?? {}))
          io.out.write(`${indent}${key}=${value}\n`);
        continue;
      }
      if (dryRun !== 'client') {
        const cause = await recordedAnnotations(invocation);
        // An explicit annotation with this key takes precedence.
        if (cause !== undefined) patch.metadata.annotations = { ...cause, ...patch.metadata.annotations };
        const resource = (await session.client()).resource(type).in(object.metadata.namespace);
        const options = await writeOptions(invocation, mark.manager, dryRun);
        changed = await resource.patch(object.metadata.name!, 'merge', patch, options);
      }
      report(changed, type, doneTo(present, changes, mark));
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

/** @throws CommandError if the text cannot be a label */
function checkLabel(word: string, value: string): void {
  if (word.split('=').length > 2) throw new CommandError(`invalid label spec: ${word}`);
  const problems = labelValue(value);
  if (problems.length > 0)
    throw new CommandError(`invalid label value: ${JSON.stringify(word)}: ${problems.join(';')}`);
}

/**
 * The arguments before the first `key=value` or `key-` name objects. The rest are changes.
 * @throws CommandError if the arguments are wrong
 */
function parse({ args, flags }: Invocation, mark: Mark): { objects: string[]; changes: Changes } {
  const isChange = (word: string) => word.indexOf('=') > 0 || (word.length > 1 && word.endsWith('-'));
  const at = args.findIndex(isChange);
  const objects = at < 0 ? [...args] : args.slice(0, at);
  const set = new Map<string, string>();
  const removed: string[] = [];
  for (const word of at < 0 ? [] : args.slice(at)) {
    const equals = word.indexOf('=');
    if (!isChange(word)) throw new CommandError(`all resources must be specified before ${mark.one} changes: ${word}`);
    if (equals > 0) {
      const value = word.slice(equals + 1);
      if (mark.field === 'labels') checkLabel(word, value);
      set.set(word.slice(0, equals), value);
    } else removed.push(word.slice(0, -1));
  }
  const both = removed.filter((key) => set.has(key));
  if (both.length > 0 && mark.one === 'label')
    throw new CommandError('can not both modify and remove a label in the same command');
  if (both.length > 0)
    throw new CommandError(
      `can not both modify and remove the following annotation(s) in the same command: ${both.join(', ')}`,
    );
  if (flags.bool('list') && flags.text('output') !== '')
    throw new CommandError(`--list and --output may not be specified together`);
  return { objects, changes: { set, removed } };
}

function refuseOverwriting(present: Readonly<Record<string, string>>, { set }: Changes, mark: Mark): void {
  const taken = [...set].filter(([key, value]) => Object.hasOwn(present, key) && present[key] !== value);
  if (taken.length > 0) throw new CommandError(mark.taken(taken.map(([key]) => [key, present[key]!])));
}

interface MarkPatch {
  readonly metadata: {
    readonly resourceVersion?: string;
    annotations?: Readonly<Record<string, string | null>>;
  };
}

function patchOf({ set, removed }: Changes, { field }: Mark, resourceVersion: string): MarkPatch {
  const entries = [...[...set], ...removed.map((key) => [key, null] as const)];
  const version = resourceVersion === '' ? {} : { resourceVersion };
  return { metadata: { ...version, [field]: Object.fromEntries(entries) } };
}

function marked(object: ApiObject, { set, removed }: Changes, { field }: Mark): ApiObject {
  const values = { ...object.metadata[field], ...Object.fromEntries(set) };
  for (const key of removed) delete values[key];
  const { [field]: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(Object.keys(values).length === 0 ? {} : { [field]: values }) } };
}

function doneTo(present: Readonly<Record<string, string>>, { set, removed }: Changes, { done }: Mark): string {
  const changed = [...set].some(([key, value]) => present[key] !== value);
  const isRemoved = removed.some((key) => Object.hasOwn(present, key));
  if (set.size === 0 && isRemoved) return done.removed;
  return changed || isRemoved ? done.set : done.unchanged;
}
