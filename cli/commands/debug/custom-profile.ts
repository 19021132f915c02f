import { readFileSync } from 'node:fs';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { Container } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { applyPatch } from '#schema/patch/apply-patch.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError } from '../../framework/errors.ts';
import { fileWords } from '../../framework/file-words.ts';

/** Fields that a profile must not change. */
const KEPT = ['name', 'command', 'image', 'lifecycle', 'volumeDevices'];

/**
 * The profile in the file of `--custom`, in JSON or YAML. Undefined means that the flag is not given.
 * @throws CommandError if the file is malformed
 */
export async function readCustomProfile(file: string): Promise<JsonObject | undefined> {
  if (file === '') return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`must pass a container spec json file for custom profile: ${fileWords(error, file)}`);
  }
  const { parseYamlDocuments } = await import('../../manifests/parse-yaml.ts');
  const [document = {}] = parseYamlDocuments(text, file);
  if (isObject(document as JsonValue)) return document as JsonObject;
  throw new CommandError(`${file} does not contain a valid container spec: it is not an object`);
}

/** @throws CommandError if the profile sets a field that it must not change */
export function checkCustomProfile(custom: JsonObject | undefined): void {
  const isEmpty = (value: JsonValue | undefined) =>
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (custom !== undefined && KEPT.some((name) => !isEmpty(custom[name])))
    throw new CommandError('name, command, image, lifecycle and volume devices are not modifiable via custom profile');
}

/** The container after the changes of the profile. Lists of the profile are merged into the container's lists. */
export async function customized(session: Session, container: Container, custom: JsonObject): Promise<Container> {
  const pod = loadSchema(await session.naming()).kind('', 'v1', 'Pod');
  const message = pod?.byJsonName.get('spec')?.message?.byJsonName.get('containers')?.message;
  return applyPatch('strategic', message, asJson(container), custom) as unknown as Container;
}
