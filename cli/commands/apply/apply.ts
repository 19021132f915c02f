import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { ApiError, isConflict, isNotFound } from '#client/errors.ts';
import { formatJson, parseJson } from '#client/json.ts';
import type { ResourceClient, WriteOptions } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import type { Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError } from '../../framework/errors.ts';
import { toCompactJson } from '../../manifests/json.ts';
import { listOf } from '../../output/list-of.ts';
import { printerFor } from '../../output/printer.ts';
import type { Selection, Target } from '../../resources/selection.ts';
import { asNewObject } from '../../write/as-new-object.ts';
import { recorded } from '../../write/change-cause.ts';
import { contestedFields } from '../../write/contested.ts';
import type { DryRun } from '../../write/dry-run.ts';
import { configurationOf, lastApplied } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { checkKind, messageOf } from '../../write/shape.ts';
import { about } from '../../write/source-errors.ts';
import { threeWayPatch } from '../../write/three-way-patch.ts';
import { withoutNulls } from '../../write/without-nulls.ts';
import { writeOptions } from '../../write/write-options.ts';
import { deletionsAwaited } from '../delete/await-deletions.ts';
import { applyResolving, wayOf } from './conflicts.ts';
import { migrate } from './migrate.ts';

/** The largest number of attempts to patch an object that other clients change in the meantime. */
const TRIES = 5;

/** An object after it was applied. */
export interface Applied {
  readonly target: Target;
  readonly object: ApiObject;
}

/**
 * Applies objects one after the other. Errors are added to `errors`, and the next objects are still applied. The
 * objects themselves are shown only if there is no error.
 */
export async function apply(
  invocation: Invocation,
  { targets, errors: unread }: Pick<Selection, 'targets' | 'errors'>,
  dryRun: DryRun,
  errors: unknown[],
): Promise<Applied[]> {
  const { flags, io } = invocation;
  const onServer = flags.bool('server-side');
  const report = await reporter(invocation, dryRun);
  const printer = await printerFor(flags);
  const shownAfterwards = printer !== undefined && printer.perObject !== true;
  const options = await writeOptions(invocation, onServer ? '' : '-client-side-apply', dryRun);
  const applied: Applied[] = [];
  for (const given of targets) {
    try {
      const target = { ...given, object: await recorded(invocation, given.object!) };
      const { name, generateName } = target.object.metadata;
      if (!name && generateName) throw new CommandError(`from ${generateName}: cannot use generate name with apply`);
      const { object, done } = onServer
        ? { object: await applyOnServer(invocation, target, options), done: 'serverside-applied' }
        : await applyHere(invocation, target, options, dryRun);
      applied.push({ target, object });
      if (!shownAfterwards) report(object, target.type, done);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (shownAfterwards && applied.length > 0 && errors.length + unread.length === 0)
    io.out.write(
      printer.print(
        applied.length === 1 ? applied[0]!.object : listOf(applied.map(({ object }) => object)),
        applied[0]!.target.type,
      ),
    );
  return applied;
}

async function applyOnServer(
  invocation: Invocation,
  target: Target,
  common: WriteOptions & { readonly fieldManager: string },
): Promise<ApiObject> {
  const { flags, session, io } = invocation;
  const { type, namespace } = target;
  const resource = (await session.client()).resource(type).in(namespace);
  const subresource = flags.text('subresource') || undefined;
  const asked = { target, resource, options: { ...common, subresource } };
  const { onServer, applied } = await applyResolving(io, asked, wayOf(flags));
  const migrated = await migrate(invocation, onServer, applied);
  warnIfDeleting(invocation, migrated);
  return migrated;
}

/** Warns about an object that is being deleted, because it does not get the content of the file. */
export function warnIfDeleting({ io }: Invocation, { metadata }: ApiObject): void {
  if (metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null)
    io.err.write(`Warning: Detected changes to resource ${metadata.name} which is currently being deleted.\n`);
}

async function applyHere(
  invocation: Invocation,
  target: Target,
  options: WriteOptions,
  dryRun: DryRun,
): Promise<{ readonly object: ApiObject; readonly done: string }> {
  const { flags, session, io } = invocation;
  const { type, namespace, name = '', source } = target;
  const resource = (await session.client()).resource(type).in(namespace);
  const kept = lastApplied(session);
  const plain = await withoutKept(target.object!, await kept.key());
  const wanted = await kept.put(plain, configurationOf(plain));
  const message = await messageOf(session, target);
  const shape = shapeOf(message);
  const asNew = () => asNewObject(asObject(withoutNulls(json(wanted), shape)));
  for (let tries = 1; ; tries++) {
    const current = await resource.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw retrievalError(error, target);
    });
    if (current === undefined) {
      if (dryRun === 'client') return { object: wanted, done: 'created' };
      const object = await resource.create(asNew(), options).catch((error: unknown) => {
        throw about(error, 'creating', source);
      });
      return { object, done: 'created' };
    }
    const original = await kept.of(current);
    if (original === undefined && tries === 1 && dryRun !== 'client')
      io.err.write(
        `Warning: resource ${type.plural}/${name} is missing the ${await kept.key()} annotation which is required by orchctl apply. orchctl apply should only be used on resources created declaratively by either orchctl create --save-config or orchctl apply. The missing annotation will be patched automatically.\n`,
      );
    if (dryRun === 'client') return { object: current, done: 'configured' };
    checkKind(target);
    if (!flags.bool('overwrite')) {
      const contested = contestedFields(parsed(original), json(plain), json(current), shape);
      if (contested.length > 0) throw leftToOthers(target, contested);
    }
    const patch = threeWayPatch(parsed(original), json(wanted), json(current), shape);
    if (Object.keys(patch).length === 0) {
      warnIfDeleting(invocation, current);
      return { object: current, done: 'unchanged' };
    }
    try {
      const how = message === undefined ? 'merge' : 'strategic';
      const object = await resource.patch(name, how, patch, options);
      warnIfDeleting(invocation, object);
      return { object, done: 'configured' };
    } catch (error) {
      if (isConflict(error) && tries < TRIES) continue;
      if (!flags.bool('force') || !(error instanceof ApiError) || ![409, 422].includes(error.code) || dryRun !== 'none')
        throw patchError(error, patch, target);
      const seconds = flags.int('grace-period');
      await resource.delete(name, { gracePeriodSeconds: seconds < 0 ? undefined : seconds });
      await deletionsAwaited(invocation, [{ type, target, object: current }], flags.duration('timeout'));
      try {
        return { object: await resource.create(asNew(), options), done: 'configured' };
      } catch (error) {
        throw applyError(await restored(resource, current, options, error), `${toCompactJson(wanted)}\n`, target);
      }
    }
  }
}

/** The error about fields that `--overwrite=false` does not change. */
function leftToOthers({ type, name = '', source }: Target, fields: readonly string[]): CommandError {
  const what = `${inGroup(type.plural, type.group)} ${JSON.stringify(name)}`;
  return new CommandError(
    `error when applying ${JSON.stringify(source)}: ${what} has fields that were changed since it was last applied: ${fields.join(', ')}`,
    { hint: 'To overwrite these changes, apply without --overwrite=false.' },
  );
}

/**
 * Creates a deleted object again after its replacement could not be created. Resolves to the error about the
 * replacement.
 */
async function restored(
  resource: ResourceClient<ApiObject>,
  before: ApiObject,
  options: WriteOptions,
  error: unknown,
): Promise<unknown> {
  try {
    await resource.create(asNewObject(before), options);
    return error;
  } catch (second) {
    const [why, neither] = [error, second].map((each) => (each instanceof Error ? each.message : String(each)));
    return new CommandError(
      `the object was deleted, but the new object cannot be created:\n\n${why}\n\nand the old object cannot be created again:\n\n${neither}`,
    );
  }
}

/** The name of an object in errors: its type, its name and its namespace. */
function identity({ type, namespace = '', name = '' }: Target): string {
  const resource = `"${type.group}/${type.version}, Resource=${type.plural}"`;
  const kind = `"${type.group}/${type.version}, Kind=${type.kind}"`;
  return `Resource: ${resource}, GroupVersionKind: ${kind}\nName: ${JSON.stringify(name)}, Namespace: ${JSON.stringify(namespace)}`;
}

/** The error for a live object that could not be read. */
function retrievalError(error: unknown, target: Target): unknown {
  const what = `retrieving current configuration of:\n${identity(target)}\nfrom server for:`;
  return about(error, what, target.source);
}

/** The error for a refused patch. */
function patchError(error: unknown, patch: JsonObject, target: Target): unknown {
  return applyError(about(error, 'patching', target.source), formatJson(patch), target);
}

/** The error for a refused object. It contains the object that was sent, and the server's reason. */
function applyError(error: unknown, sent: string, target: Target): unknown {
  if (!(error instanceof ApiError)) return error;
  const why = error.status.message ?? '';
  const message = `error when applying patch:\n${sent}\nto:\n${identity(target)}\nfor: ${JSON.stringify(target.source)}: ${why}`;
  return new ApiError(error.code, { ...error.status, message });
}

async function withoutKept(object: ApiObject, key: string): Promise<ApiObject> {
  const { annotations } = object.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, key)) return object;
  const { [key]: _, ...rest } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: rest } };
}

function json(object: ApiObject): JsonObject {
  return asJson(object);
}

function parsed(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
