import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { AdmissionRequest, Operation } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Candidate } from './candidates.ts';
import type { ReviewObjects } from './review-objects.ts';
import { namespaceOf } from './selection.ts';
import type { ReviewVersion } from './webhook.ts';

/** An AdmissionReview that is sent to a webhook. */
export interface Review {
  readonly uid: string;
  readonly body: string;
}

const OPTIONS: Readonly<Partial<Record<Operation, string>>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

/** The options in the kind that belongs to the operation. A patch is an update, and an apply may be a create. */
function optionsOf({ operation, options, context }: AdmissionRequest, naming: Naming): JsonValue {
  const kind = OPTIONS[operation];
  if (kind === undefined) return null;
  const { query } = context;
  const shown: JsonObject = operation === 'DELETE' ? { ...options } : {};
  if (operation !== 'DELETE') {
    const dryRun = query.getAll('dryRun').filter((value) => value !== '');
    if (dryRun.length > 0) shown['dryRun'] = dryRun;
    for (const name of ['fieldManager', 'fieldValidation']) {
      const value = query.get(name) ?? '';
      if (value !== '') shown[name] = value;
    }
  }
  return { ...shown, kind, apiVersion: naming.apiVersion('meta', 'v1') };
}

function shownUser(user: UserInfo | undefined): JsonObject {
  if (user === undefined) return {};
  const extra: JsonObject = {};
  for (const [key, values] of Object.entries(user.extra)) extra[key] = [...values];
  return {
    ...(user.name === '' ? {} : { username: user.name }),
    ...(user.uid === '' ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function resourceOf({ group, version, type }: ServedResource): JsonObject {
  return { group, version, resource: type.plural };
}

/** Writes the review of a request for a webhook, with the objects in the version that the webhook's rules name. */
export async function writeReview(
  naming: Naming,
  request: AdmissionRequest,
  objects: ReviewObjects,
  { served }: Candidate,
  version: ReviewVersion,
): Promise<Review> {
  const uid = randomUUID();
  const fields: JsonObject = { uid, ...requestFields(naming, request, objects, served) };
  const head = stringify(fields).slice(0, -1);
  const object = await objects.newText(served);
  const old = await objects.oldText(served);
  const body = `{"kind":"AdmissionReview","apiVersion":${JSON.stringify(naming.apiVersion('admission', version))},"request":${head},"object":${object},"oldObject":${old}}}`;
  return { uid, body };
}

/**
 * The attributes of a request for webhooks and expressions, without its objects. `served` is the version that they see.
 */
export function requestFields(
  naming: Naming,
  request: AdmissionRequest,
  objects: ReviewObjects,
  served: ServedResource,
): JsonObject {
  const { subresource } = request;
  const namespace = namespaceOf(request);
  return {
    kind: { ...objects.kindIn(served) },
    resource: resourceOf(served),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { ...objects.kindIn(request.served) },
    requestResource: resourceOf(request.served),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(request.name === '' ? {} : { name: request.name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: shownUser(request.context.user),
    dryRun: request.dryRun,
    options: optionsOf(request, naming),
  };
}
