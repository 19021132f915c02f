import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { formatJson } from '#client/json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { toJson } from '../../manifests/json.ts';
import { parseYamlDocuments } from '../../manifests/parse-yaml.ts';
import { toYaml } from '../../output/yaml.ts';
import type { Target } from '../../resources/selection.ts';
import { configurationOf, lastApplied } from '../../write/last-applied.ts';
import { messageOf } from '../../write/shape.ts';
import { threeWayPatch } from '../../write/three-way-patch.ts';
import { writeOptions } from '../../write/write-options.ts';
import { editText, UnusableText } from './edit-text.ts';

/** The comment above the text to edit. */
export const HEADING = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/**
 * Lets the user edit an object before it is created. Resolves to undefined if the user changed nothing. Nothing is then
 * created.
 */
export async function editBeforeCreation(
  invocation: Invocation,
  object: ApiObject,
  what: string,
  make: (edited: ApiObject) => Promise<ApiObject>,
): Promise<ApiObject | undefined> {
  return editText(invocation, {
    heading: HEADING,
    ...textFor(object, invocation.flags.text('output') === 'json'),
    what,
    creates: true,
    take: async (text) => {
      const edited = await parsed(text);
      return isSame(edited, object) ? undefined : make(edited);
    },
  });
}

/** The text of an object for the editor, and the extension of its file. */
export function textFor(object: object, asJson: boolean): { readonly text: string; readonly extension: string } {
  const value = object as ApiObject;
  return asJson ? { text: toJson(value), extension: '.json' } : { text: toYaml(value), extension: '.yaml' };
}

export function isSame(a: object, b: object): boolean {
  return jsonEqual(a as JsonValue, b as JsonValue);
}

/** The object in the user's text. @throws UnusableText if the text has no object */
export async function parsed(text: string): Promise<ApiObject> {
  let documents: readonly unknown[];
  try {
    documents = parseYamlDocuments(text, '');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new UnusableText(error.message.replace(/^error parsing .*?: error converting YAML to JSON: /, ''));
  }
  const [document] = documents;
  if (documents.length !== 1 || typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UnusableText('invalid object to validate');
  const object = document as ApiObject;
  if (object.kind === undefined) throw new UnusableText('kind not set');
  if (object.apiVersion === undefined) throw new UnusableText('apiVersion not set');
  return { ...object, metadata: object.metadata ?? {} };
}

/**
 * Sends the changes of an object.
 * @throws ApiError if the server refuses, CommandError if the text now describes another object
 */
export async function send(
  invocation: Invocation,
  target: Target,
  before: ApiObject,
  edited: ApiObject,
): Promise<ApiObject> {
  const { flags, session } = invocation;
  const { type, namespace, name = '' } = target;
  if (edited.metadata.name !== before.metadata.name || edited.kind !== before.kind)
    throw new CommandError('At least one of apiVersion, kind and name was changed');
  const wanted = flags.bool('save-config') ? await lastApplied(session).put(edited, configurationOf(edited)) : edited;
  const message = await messageOf(session, target);
  const [from, to] = [before, wanted].map((object) => asJson(object));
  const patch = threeWayPatch(from!, to!, from!, shapeOf(message));
  if (flags.bool('output-patch')) session.io.out.write(`Patch: ${formatJson(patch)}\n`);
  const options = await writeOptions(invocation, '-edit', 'none');
  return (await session.client())
    .resource(type)
    .in(namespace)
    .patch(name, message === undefined ? 'merge' : 'strategic', patch, {
      ...options,
      subresource: flags.text('subresource') || undefined,
    });
}
