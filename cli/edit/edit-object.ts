import { ApiError } from '../../client/errors.ts';
import { jsonEqual } from '../../server/json/json-equal.ts';
import type { JsonObject, JsonValue } from '../../server/json/json-value.ts';
import { shapeOf } from '../../server/patch/merge-shape.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { messageOf } from '../apply/shape.ts';
import { threeWayPatch } from '../apply/three-way-patch.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { toJson } from '../output/json.ts';
import { withoutManaged } from '../output/printer.ts';
import { toYaml } from '../output/yaml.ts';
import { parseObjects } from '../resources/files.ts';
import type { Target } from '../resources/selection.ts';
import { configurationOf, lastApplied } from '../write/last-applied.ts';
import { writeOptions } from '../write/write-options.ts';
import { editedFile } from './open-editor.ts';

const HEADING = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/** Has people change one object, again and again until the server takes it. Undefined where nothing was changed. */
export async function editObject(invocation: Invocation, target: Target): Promise<ApiObject | undefined> {
  const { flags, session, io } = invocation;
  const { type, namespace, name = '' } = target;
  const resource = (await session.client()).resource(type).in(namespace);
  const subresource = flags.text('subresource') || undefined;
  const live = await resource.get(name, { subresource });
  const before = flags.bool('show-managed-fields') ? live : withoutManaged(live);
  const asJson = flags.text('output') === 'json';
  const original = asJson ? toJson(before) : toYaml(before);
  const file = editedFile(asJson ? '.json' : '.yaml', io);
  let [body, why] = [original, ''];
  let kept = false;
  try {
    for (;;) {
      const shown = `${HEADING}${why}${body}`;
      const text = withoutComments(await file.edit(shown));
      if (text.trim() === '') return cancelled(invocation, 'Edit cancelled, saved file was empty.');
      if (text === withoutComments(shown)) {
        if (why === '') return cancelled(invocation, 'Edit cancelled, no changes made.');
        kept = true;
        throw new CommandError('Edit cancelled, no valid changes were saved.', { plain: true });
      }
      body = text;
      try {
        const edited = await parsed(text);
        if (jsonEqual(edited as unknown as JsonValue, before as unknown as JsonValue))
          return cancelled(invocation, 'Edit cancelled, no changes made.');
        return await send(invocation, target, before, edited);
      } catch (error) {
        io.signal.throwIfAborted();
        // Nobody reads the file again where the server cannot be reached.
        if (!(error instanceof ApiError) && !(error instanceof CommandError)) throw error;
        const message = error instanceof ApiError ? (error.status.message ?? error.message) : error.message;
        io.err.write(`error: ${type.plural} ${JSON.stringify(name)} could not be changed: ${message}\n`);
        why = `${message.replaceAll(/^/gm, '# ')}\n#\n`;
      }
    }
  } catch (error) {
    kept ||= body !== original;
    throw error;
  } finally {
    if (kept) io.err.write(`A copy of your changes has been stored to ${JSON.stringify(file.file)}\n`);
    else file.remove();
  }
}

function cancelled({ io }: Invocation, why: string): undefined {
  io.err.write(`${why}\n`);
  return undefined;
}

function withoutComments(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}

/** @throws CommandError */
async function parsed(text: string): Promise<ApiObject> {
  const objects = await parseObjects(text, 'the edited file');
  if (objects.length !== 1) throw new CommandError('the edited file must hold one object');
  return objects[0]!.object;
}

async function send(invocation: Invocation, target: Target, before: ApiObject, edited: ApiObject): Promise<ApiObject> {
  const { flags, session } = invocation;
  const { type, namespace, name = '' } = target;
  if (edited.metadata.name !== before.metadata.name || edited.kind !== before.kind)
    throw new CommandError('At least one of apiVersion, kind and name was changed');
  const wanted = flags.bool('save-config') ? await lastApplied(session).put(edited, configurationOf(edited)) : edited;
  const message = await messageOf(session, target);
  const shape = message && shapeOf(message);
  const [from, to] = [before, wanted].map((object) => object as unknown as JsonObject);
  const patch = threeWayPatch(from!, to!, from!, shape);
  if (flags.bool('output-patch')) session.io.out.write(`Patch: ${JSON.stringify(patch)}\n`);
  const options = await writeOptions(invocation, '-edit', 'none');
  return (await session.client())
    .resource(type)
    .in(namespace)
    .patch(name, shape === undefined ? 'merge' : 'strategic', patch, {
      ...options,
      subresource: flags.text('subresource') || undefined,
    });
}
