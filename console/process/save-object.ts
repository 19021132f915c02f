import { isObject } from '#base/json/json-value.ts';
import { objectOf } from '#client/answers.ts';
import type { Client } from '#client/client.ts';
import { warningsIn } from '#client/http/warnings.ts';
import { formatJson, parseJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import { query } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { parseYaml, strictYamlError } from '#schema/yaml/parse.ts';
import type { SaveAnswer, SaveRequest } from '../protocol/messages.ts';
import { type ObjectReader, yamlOf } from './object-details.ts';
import { RequestError } from './problem.ts';

/** Who the server records as the manager of fields that are changed in the console. */
const MANAGER = 'orch-console';

/**
 * Replaces an object by its edited form, or asks the server for the result only (`dryRun`). The server refuses unknown
 * fields, and refuses the request if the object has changed since it was read.
 *
 * @throws RequestError where the text is no object, or is another one
 * @throws ApiError where the server refuses it
 */
export async function saveObject(reader: ObjectReader, client: Client, request: SaveRequest): Promise<SaveAnswer> {
  const body = formatJson(editedObject(request));
  const { path } = await reader.resource(request);
  const options = query({
    dryRun: request.dryRun ? 'All' : undefined,
    fieldManager: MANAGER,
    fieldValidation: 'Strict',
  });
  const answer = await client.call({
    method: 'PUT',
    path: `${path}/${pathSegment(request.name)}${options}`,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body,
  });
  return { yaml: yamlOf(objectOf(parseJson(answer.text))), warnings: warningsIn(answer.headers) };
}

function editedObject({ yaml, name, namespace }: SaveRequest): ApiObject {
  const { value, duplicates } = parsed(yaml);
  if (duplicates.length > 0) throw new RequestError(strictYamlError(duplicates));
  if (!isObject(value)) throw new RequestError('the text is not an object');
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  if (metadata['name'] !== name) throw new RequestError(`metadata.name must stay ${name}: a name cannot be changed`);
  if ((metadata['namespace'] ?? '') !== namespace)
    throw new RequestError('metadata.namespace must stay as it is: an object cannot move');
  if (typeof metadata['resourceVersion'] !== 'string')
    throw new RequestError('metadata.resourceVersion must stay: with it the server refuses what others have changed');
  return asObject(value);
}

function parsed(yaml: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(yaml);
  } catch (error) {
    throw new RequestError((error as Error).message);
  }
}
