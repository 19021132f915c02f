import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { objectOf } from '#client/answers.ts';
import type { Client } from '#client/client.ts';
import { warningsIn } from '#client/http/warnings.ts';
import { formatJson, parseJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import { query, type ResourceClient } from '#client/resource-client.ts';
import { type ApplyType, DEDUCED } from '#schema/apply/apply-type.ts';
import { decodeManagersOrNone, type Manager } from '#schema/apply/managers.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { parseYaml, strictYamlError } from '#schema/yaml/parse.ts';
import type { SaveAnswer, SaveRequest } from '../protocol/object-messages.ts';
import type { Kinds } from './catalog.ts';
import { fieldTypeOf } from './field-type.ts';
import type { KindSchemas } from './kind-schemas.ts';
import { type ObjectReader, yamlOf } from './object-details.ts';
import { RequestError } from './problem.ts';
import { conflictsOf, type Edit, fieldChanges, merged, type OwnChange, ownChanges } from './three-way.ts';
import { valueAt, withValueAt } from './value-at.ts';

/** The name of the field manager for changes in the console. */
export const MANAGER = 'orch-console';

/** The most fields that a page shows of those that the server sets differently. */
const MOST_CHANGES = 100;

export interface SaveParts {
  readonly client: Client;
  readonly kinds: Kinds;
  readonly schemas: KindSchemas;
  readonly objects: ObjectReader;
}

/**
 * Replaces an object by its edited form, or asks the server for the result only (`dryRun`). What other clients have
 * changed since the object was read stays, unless the user has changed the same fields. Those fields are conflicts:
 * nothing is sent before the request has a way for each of them.
 *
 * @throws RequestError if the text is not an object, or is another object
 * @throws ApiError if the server refuses it
 */
export async function saveObject(parts: SaveParts, request: SaveRequest): Promise<SaveAnswer> {
  const mine = editedObject(request);
  const { objects, client } = parts;
  const resource = await objects.resource(request);
  const type = await typeOf(parts, request.kind);
  const live = await resource.get(request.name);
  const edit = { base: objectIn(request.base), mine, live: withoutManagers(live), type };
  const managers = [...decodeManagersOrNone(live.metadata.managedFields).values()];
  const changes = ownChanges(edit);
  const others = managers.filter(({ manager, subresource }) => manager !== MANAGER && subresource === '');
  const conflicts = changes === undefined ? [] : conflictsOf(edit, changes, others);
  const wayOf = (path: string) => (Object.hasOwn(request.ways, path) ? request.ways[path] : undefined);
  const before = yamlOf(live);
  if (conflicts.some(({ path }) => wayOf(path) === undefined))
    return { before, yaml: before, warnings: [], byServer: [], conflicts };
  const contested = new Set(conflicts.map(({ path }) => path));
  const isGivenUp = ({ text }: OwnChange): boolean => contested.has(text) && wayOf(text) !== 'mine';
  const kept = changes?.filter((change) => !isGivenUp(change));
  const shared = changes?.filter((change) => isGivenUp(change) && wayOf(change.text) === 'share') ?? [];
  const isNewer = live.metadata.resourceVersion !== (mine['metadata'] as JsonObject)['resourceVersion'];
  // If the text is sent unchanged, items keep the user's order.
  const isMerged = kept !== undefined && (isNewer || kept.length < changes!.length);
  const sent = isMerged ? merged(edit, kept) : mine;
  const target = `${resource.path}/${pathSegment(request.name)}`;
  const options = { dryRun: request.dryRun ? 'All' : undefined, fieldManager: MANAGER };
  let made: JsonObject = edit.live;
  const warnings: string[] = [];
  if (kept === undefined || kept.length > 0) {
    const answer = await client.call({
      method: 'PUT',
      path: `${target}${query({ ...options, fieldValidation: 'Strict' })}`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: formatJson(sent),
    });
    made = withoutManagers(objectOf(parseJson(answer.text)));
    warnings.push(...warningsIn(answer.headers));
  }
  if (shared.length > 0) await share(resource, request, edit, managers, shared);
  return {
    before,
    yaml: yamlOf(asObject(made)),
    warnings,
    byServer: fieldChanges(sent, made, type, MOST_CHANGES),
    conflicts,
  };
}

/**
 * Makes the server record the console as one more manager of fields, with their present values. The console also keeps
 * the fields that it applied before.
 */
async function share(
  resource: ResourceClient<ApiObject>,
  { name, dryRun }: SaveRequest,
  { live, type }: Edit,
  managers: readonly Manager[],
  fields: readonly OwnChange[],
): Promise<void> {
  const own = managers.find(({ manager, operation }) => manager === MANAGER && operation === 'Apply');
  const paths = [...(own?.fields.paths() ?? []), ...fields.map(({ path }) => path)];
  let applied: JsonObject = { metadata: { name } };
  for (const path of paths) {
    const value = valueAt(live, type, path);
    // The members of such an object have separate paths.
    if (value === undefined || (isObject(value) && Object.keys(value).length > 0 && own?.fields.has(path) === true))
      continue;
    applied = withValueAt(applied, type, path, value) as JsonObject;
  }
  const { metadata, ...rest } = applied;
  const object = { ...rest, metadata: metadata as ApiObject['metadata'] };
  await resource.apply(object, { fieldManager: MANAGER, dryRun });
}

async function typeOf({ client, kinds, schemas }: SaveParts, kind: string): Promise<ApplyType> {
  const published = await schemas.of(await kinds.type(kind));
  return published === undefined
    ? DEDUCED
    : fieldTypeOf(published.schemas, published.root, client.naming.extensionPrefix);
}

function withoutManagers(object: ApiObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return asJson({ ...object, metadata });
}

function editedObject({ yaml, name, namespace }: SaveRequest): JsonObject {
  const value = objectIn(yaml);
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  if (metadata['name'] !== name) throw new RequestError(`metadata.name must stay ${name}: a name cannot be changed`);
  if ((metadata['namespace'] ?? '') !== namespace)
    throw new RequestError('metadata.namespace must stay as it is: an object cannot move');
  if (typeof metadata['resourceVersion'] !== 'string')
    throw new RequestError('metadata.resourceVersion must stay: by it the console knows what others have changed');
  return value;
}

function objectIn(yaml: string): JsonObject {
  const { value, duplicates } = parsed(yaml);
  if (duplicates.length > 0) throw new RequestError(strictYamlError(duplicates));
  if (!isObject(value)) throw new RequestError('the text is not an object');
  return value;
}

function parsed(yaml: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(yaml);
  } catch (error) {
    throw new RequestError((error as Error).message);
  }
}
