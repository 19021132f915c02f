import { objectOf } from '#client/answers.ts';
import type { Client } from '#client/client.ts';
import { warningsIn } from '#client/http/warnings.ts';
import { formatJson, parseJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import { query } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Change, ChangeRequest, SaveAnswer } from '../protocol/object-messages.ts';
import { type ObjectReader, yamlOf } from './object-details.ts';
import { MANAGER } from './save-object.ts';

/**
 * Scales, restarts or labels an object, or asks the server for the result of that (`dryRun`).
 *
 * @throws ApiError if the server refuses it
 */
export async function changeObject(reader: ObjectReader, client: Client, request: ChangeRequest): Promise<SaveAnswer> {
  const { name, change, dryRun } = request;
  const resource = await reader.resource(request);
  const before = await resource.get(name);
  const part = change.name === 'scale' ? '/scale' : '';
  const options = query({ dryRun: dryRun ? 'All' : undefined, fieldManager: MANAGER });
  const answer = await client.call({
    method: 'PATCH',
    path: `${resource.path}/${pathSegment(name)}${part}${options}`,
    headers: { accept: 'application/json', 'content-type': 'application/merge-patch+json' },
    body: formatJson(patchOf(change, client)),
  });
  const changed = objectOf(parseJson(answer.text));
  return {
    before: yamlOf(before),
    yaml: yamlOf(change.name === 'scale' ? withReplicas(before, changed) : changed),
    warnings: warningsIn(answer.headers),
    byServer: [],
    conflicts: [],
  };
}

function patchOf(change: Change, { naming }: Client): object {
  switch (change.name) {
    case 'scale':
      return { spec: { replicas: change.replicas } };
    case 'label':
      return { metadata: { labels: change.labels } };
    case 'restart': {
      // Pods are replaced whenever their template changes.
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      return { spec: { template: { metadata: { annotations: { [naming.key('ctl/restartedAt')]: now } } } } };
    }
  }
}

/**
 * The server answers with a scale, not with an object of the kind. Most kinds have the number of the scale in
 * `spec.replicas`.
 */
function withReplicas(object: ApiObject, scale: ApiObject): ApiObject {
  const { replicas } = (scale['spec'] ?? {}) as { readonly replicas?: number };
  return { ...object, spec: { ...(object['spec'] as object | undefined), replicas } };
}
