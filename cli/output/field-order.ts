import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';

type Moves = readonly (readonly [field: string, after: string])[];

const OF_CONTAINERS: Moves = [
  ['envFrom', 'ports'],
  ['volumeDevices', 'volumeMounts'],
  ['startupProbe', 'readinessProbe'],
  ['terminationMessagePolicy', 'terminationMessagePath'],
];

/**
 * The order of fields in JSON in which the field's client writes its own objects. Fields follow the order of their
 * numbers on the wire, except later fields that follow a related field. For each message, the table has pairs of a
 * field and the field before it.
 */
const MOVED: Readonly<Record<string, Moves>> = {
  CertificateSigningRequestCondition: [['status', 'type']],
  CertificateSigningRequestSpec: [
    ['signerName', 'request'],
    ['expirationSeconds', 'signerName'],
    ['usages', 'expirationSeconds'],
  ],
  ConfigMap: [['immutable', 'metadata']],
  Container: OF_CONTAINERS,
  CronJobSpec: [['timeZone', 'schedule']],
  CustomResourceDefinitionVersion: [
    ['deprecated', 'storage'],
    ['deprecationWarning', 'deprecated'],
  ],
  DeploymentCondition: [
    ['reason', 'lastTransitionTime'],
    ['message', 'reason'],
  ],
  DeploymentStatus: [['readyReplicas', 'updatedReplicas']],
  EndpointAddress: [['targetRef', 'nodeName']],
  EphemeralContainer: OF_CONTAINERS,
  HPAScalingRules: [['stabilizationWindowSeconds', '']],
  ISCSIPersistentVolumeSource: [['secretRef', 'chapAuthSession']],
  ISCSIVolumeSource: [['secretRef', 'chapAuthSession']],
  IngressBackend: [['resource', 'service']],
  IngressSpec: [['ingressClassName', '']],
  JobSpec: [
    ['podFailurePolicy', 'activeDeadlineSeconds'],
    ['backoffLimit', 'podFailurePolicy'],
  ],
  MetricSpec: [['external', 'containerResource']],
  MetricStatus: [['external', 'containerResource']],
  MutatingWebhook: [
    ['matchPolicy', 'failurePolicy'],
    ['objectSelector', 'namespaceSelector'],
  ],
  NodeSpec: [
    ['podCIDRs', 'podCIDR'],
    ['externalID', 'configSource'],
  ],
  PersistentVolumeClaimSpec: [['selector', 'accessModes']],
  PodSecurityContext: [
    ['windowsOptions', 'seLinuxOptions'],
    ['runAsGroup', 'runAsUser'],
  ],
  PodSpec: [
    ['initContainers', 'volumes'],
    ['ephemeralContainers', 'containers'],
    ['automountServiceAccountToken', 'serviceAccount'],
    ['shareProcessNamespace', 'hostIPC'],
  ],
  PodStatus: [
    ['nominatedNodeName', 'reason'],
    ['podIPs', 'podIP'],
    ['initContainerStatuses', 'startTime'],
  ],
  ReplicaSetSpec: [['minReadySeconds', 'replicas']],
  ReplicaSetStatus: [['observedGeneration', 'availableReplicas']],
  ReplicationControllerSpec: [['minReadySeconds', 'replicas']],
  ReplicationControllerStatus: [['observedGeneration', 'availableReplicas']],
  Secret: [
    ['immutable', 'metadata'],
    ['type', 'stringData'],
  ],
  SecurityContext: [
    ['windowsOptions', 'seLinuxOptions'],
    ['runAsGroup', 'runAsUser'],
  ],
  ServicePort: [['appProtocol', 'protocol']],
  ServiceSpec: [
    ['clusterIPs', 'clusterIP'],
    ['ipFamilyPolicy', 'ipFamilies'],
  ],
  StatusDetails: [['uid', 'kind']],
  SubjectAccessReviewStatus: [['denied', 'allowed']],
  TokenRequestSpec: [['boundObjectRef', 'expirationSeconds']],
  TokenReviewStatus: [['error', 'audiences']],
  ValidatingWebhook: [
    ['matchPolicy', 'failurePolicy'],
    ['objectSelector', 'namespaceSelector'],
  ],
  WebhookClientConfig: [['url', '']],
};

/** A copy of an object with its fields in the order of its type, and with the keys of maps in alphabetical order. */
export function inFieldOrder(object: JsonObject, message: MessageType): JsonObject {
  const { kind, apiVersion, ...rest } = object;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...fieldsOf(rest, message),
  };
}

function fieldsOf(object: JsonObject, message: MessageType): JsonObject {
  const result: JsonObject = {};
  for (const field of orderOf(message)) {
    const value = object[field.name];
    if (value !== undefined) result[field.name] = ordered(value, field);
  }
  for (const key of Object.keys(object).sort()) if (!Object.hasOwn(result, key)) result[key] = byLetters(object[key]!);
  return result;
}

const orders = new WeakMap<MessageType, readonly FieldType[]>();

/** The fields of a message in the order of their declaration. */
export function orderOf(message: MessageType): readonly FieldType[] {
  const known = orders.get(message);
  if (known !== undefined) return known;
  const fields = [...message.jsonFields];
  for (const [name, after] of MOVED[message.shortName] ?? []) {
    const at = fields.findIndex((field) => field.name === name);
    if (at < 0) continue;
    const [moved] = fields.splice(at, 1);
    fields.splice(fields.findIndex((field) => field.name === after) + 1, 0, moved!);
  }
  orders.set(message, fields);
  return fields;
}

function ordered(value: JsonValue, field: FieldType): JsonValue {
  if (field.repeated) return Array.isArray(value) ? value.map((item) => itemOf(item, field)) : value;
  if (!field.map || !isObject(value)) return itemOf(value, field);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, itemOf(value[key]!, field)]),
  );
}

function itemOf(value: JsonValue, { message }: ValueType): JsonValue {
  if (message === undefined || message.jsonForm !== 'object' || !isObject(value)) return byLetters(value);
  return fieldsOf(value, message);
}

function byLetters(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(byLetters);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, byLetters(value[key]!)]),
  );
}
