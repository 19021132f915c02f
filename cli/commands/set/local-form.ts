import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { maybePodSpecOf } from './containers.ts';

/**
 * Fields that the field's client writes for objects of a kind even if the file does not contain them.
 */
const WRITTEN: Readonly<Record<string, JsonObject>> = {
  CronJob: { spec: { schedule: '', jobTemplate: { metadata: { creationTimestamp: null } } }, status: {} },
  DaemonSet: {
    spec: { updateStrategy: {} },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  },
  Deployment: { spec: { strategy: {} }, status: {} },
  Job: { status: {} },
  Pod: { status: {} },
  ReplicaSet: { status: { replicas: 0 } },
  ReplicationController: { status: { replicas: 0 } },
  Service: { status: { loadBalancer: {} } },
  StatefulSet: {
    spec: { serviceName: '', updateStrategy: {} },
    status: { availableReplicas: 0, replicas: 0 },
  },
};
const UNDATED = { metadata: { creationTimestamp: null } };
const TEMPLATED = { spec: { template: UNDATED } };

/** The object of a file, with these fields. */
export function localForm(object: ApiObject, kind: string): ApiObject {
  const pods = maybePodSpecOf(object, kind);
  let whole = withMissing(asJson(object), UNDATED);
  if (WRITTEN[kind] !== undefined) whole = withMissing(whole, WRITTEN[kind]);
  if (kind === 'CronJob') whole = withMissing(whole, { spec: { jobTemplate: TEMPLATED } });
  else if (pods !== undefined && kind !== 'Pod') whole = withMissing(whole, TEMPLATED);
  const made = maybePodSpecOf(asObject(whole), kind);
  for (const container of [...(made?.containers ?? []), ...(made?.initContainers ?? [])]) container.resources ??= {};
  return asObject(whole);
}

function withMissing(object: JsonObject, missing: JsonObject): JsonObject {
  const result: JsonObject = { ...object };
  for (const [name, value] of Object.entries(missing)) {
    const there: JsonValue | undefined = result[name];
    if (there === undefined) result[name] = value;
    else if (isObject(there) && isObject(value)) result[name] = withMissing(there, value);
  }
  return result;
}
