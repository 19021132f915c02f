import type { FieldSpec, FieldSpecs, NameReference, TypePattern } from './field-specs.ts';
import { fileWords } from './file-words.ts';

/** Parses `KIND`, `KIND.GROUP` or `KIND@VERSION`. */
function typeIn(words: string): TypePattern {
  const [, kind = '', group = '', version = ''] = /^([^.@]*)(?:\.([^@]*))?(?:@(.*))?$/.exec(words)!;
  return { group, version, kind };
}

const field = (type: string, path: string, create = false): FieldSpec => ({ ...typeIn(type), path, create });

/** The path of an annotation with this neutral key. */
const annotation = (key: string): string => `metadata/annotations/${fileWords.key(key).replace('/', '\\/')}`;

/** The paths of pod templates in objects. */
const TEMPLATES: readonly (readonly [type: string, path: string])[] = [
  ['Pod@v1', 'spec'],
  ['PodTemplate', 'template/spec'],
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job'].map(
    (kind) => [kind, 'spec/template/spec'] as const,
  ),
  ['CronJob', 'spec/jobTemplate/spec/template/spec'],
];
/**
 * The paths for references to service accounts, claims and priority classes. Their list of types is slightly different.
 */
const WORKLOADS: readonly (readonly [type: string, path: string])[] = [
  ['Pod', 'spec'],
  ...['StatefulSet', 'Deployment', 'ReplicationController', 'Job', 'DaemonSet'].map(
    (kind) => [kind, 'spec/template/spec'] as const,
  ),
  ['CronJob', 'spec/jobTemplate/spec/template/spec'],
];

const CONTAINERS = ['containers', 'initContainers'] as const;

const inPods = (pods: typeof TEMPLATES, paths: readonly string[]): FieldSpec[] =>
  pods.flatMap(([type, pod]) => paths.map((path) => field(type, `${pod}/${path}`)));

const inContainers = (...paths: readonly string[]): string[] =>
  CONTAINERS.flatMap((list) => paths.map((path) => `${list}/${path}`));

const reference = (type: string, fields: readonly FieldSpec[]): NameReference => ({ ...typeIn(type), fields });

/** The same fields in several types. */
const inTypes = (types: readonly string[], ...paths: readonly string[]): FieldSpec[] =>
  types.flatMap((type) => paths.map((path) => field(type, path)));

const BINDINGS = ['RoleBinding', 'ClusterRoleBinding'].map((kind) => `${kind}.rbac.authorization`);
const HOOKS = ['Validating', 'Mutating'].map((word) => `${word}WebhookConfiguration.admissionregistration`);

const nameReference: readonly NameReference[] = [
  ...['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map((kind) =>
    reference(kind, inTypes(['HorizontalPodAutoscaler'], 'spec/scaleTargetRef/name')),
  ),
  reference('ConfigMap@v1', [
    ...inPods(TEMPLATES, [
      ...['volumes/configMap/name', 'volumes/projected/sources/configMap/name'],
      ...inContainers('env/valueFrom/configMapKeyRef/name', 'envFrom/configMapRef/name'),
    ]),
    field('Node', 'spec/configSource/configMap'),
    ...inTypes(['Role', 'ClusterRole'], 'rules/resourceNames'),
    field('Ingress', annotation('nginx.ingress/fastcgi-params-configmap')),
  ]),
  reference('Secret@v1', [
    ...inPods(TEMPLATES, [
      ...['volumes/secret/secretName', 'volumes/projected/sources/secret/name', 'imagePullSecrets/name'],
      ...inContainers('env/valueFrom/secretKeyRef/name', 'envFrom/secretRef/name'),
    ]),
    field('Service.serving.knative.dev@v1', 'spec/template/spec/containers/env/valueFrom/secretKeyRef/name'),
    ...inTypes(
      ['Ingress'],
      'spec/tls/secretName',
      ...['ingress/auth-secret', 'nginx.ingress/auth-secret', 'nginx.ingress/auth-tls-secret'].map(annotation),
    ),
    field('ServiceAccount', 'imagePullSecrets/name'),
    ...inTypes(
      ['StorageClass'],
      ...['secretName', 'adminSecretName', 'userSecretName', 'secretRef'].map((name) => `parameters/${name}`),
    ),
    ...inTypes(['Role', 'ClusterRole'], 'rules/resourceNames'),
    field('PersistentVolume', 'spec/azureFile/secretName'),
  ]),
  reference('Service@v1', [
    field('StatefulSet.apps', 'spec/serviceName'),
    ...inTypes(
      ['Ingress'],
      ...['spec/rules/http/paths/backend/serviceName', 'spec/backend/serviceName'],
      ...['spec/rules/http/paths/backend/service/name', 'spec/defaultBackend/service/name'],
    ),
    field('APIService.apiregistration', 'spec/service/name'),
    ...inTypes(HOOKS, 'webhooks/clientConfig/service'),
  ]),
  reference('Role.rbac.authorization', [field(BINDINGS[0]!, 'roleRef/name')]),
  reference('ClusterRole.rbac.authorization', inTypes(BINDINGS, 'roleRef/name')),
  reference('ServiceAccount@v1', [...inTypes(BINDINGS, 'subjects'), ...inPods(WORKLOADS, ['serviceAccountName'])]),
  reference('PersistentVolumeClaim@v1', inPods(WORKLOADS, ['volumes/persistentVolumeClaim/claimName'])),
  reference('PersistentVolume@v1', [
    field('PersistentVolumeClaim', 'spec/volumeName'),
    field('ClusterRole', 'rules/resourceNames'),
  ]),
  reference('StorageClass.storage@v1', [
    ...inTypes(['PersistentVolume', 'PersistentVolumeClaim'], 'spec/storageClassName'),
    field('StatefulSet', 'spec/volumeClaimTemplates/spec/storageClassName'),
  ]),
  reference('PriorityClass.scheduling@v1', inPods(WORKLOADS, ['priorityClassName'])),
  reference('ValidatingAdmissionPolicy.admissionregistration', [
    field('ValidatingAdmissionPolicyBinding.admissionregistration', 'spec/policyName'),
  ]),
];

/** The templates of objects, by the path of their metadata. */
const MADE: readonly (readonly [type: string, path: string])[] = [
  ['ReplicationController@v1', 'spec/template'],
  ...['Deployment', 'ReplicaSet', 'DaemonSet'].map((kind) => [kind, 'spec/template'] as const),
  ['Job.batch', 'spec/template'],
  ['CronJob.batch', 'spec/jobTemplate'],
  ['CronJob.batch', 'spec/jobTemplate/spec/template'],
];

const everywhere = (kind: 'labels' | 'annotations'): FieldSpec[] => [
  field('', `metadata/${kind}`, true),
  ...MADE.map(([type, path]) => field(type, `${path}/metadata/${kind}`, true)),
];

const templateLabels: readonly FieldSpec[] = [
  ...everywhere('labels'),
  field('StatefulSet.apps', 'spec/template/metadata/labels', true),
  field('StatefulSet.apps', 'spec/volumeClaimTemplates[]/metadata/labels', true),
];

const AFFINITIES = ['podAffinity', 'podAntiAffinity'].flatMap((affinity) => [
  `affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm`,
  `affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution`,
]);

const selectors: readonly FieldSpec[] = [
  ...['Service@v1', 'ReplicationController@v1'].map((type) => field(type, 'spec/selector', true)),
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet.apps'].map((type) =>
    field(type, 'spec/selector/matchLabels', true),
  ),
  ...inTypes(
    ['Deployment.apps', 'StatefulSet.apps'],
    ...[...AFFINITIES, 'topologySpreadConstraints'].map(
      (path) => `spec/template/spec/${path}/labelSelector/matchLabels`,
    ),
  ),
  ...inTypes(['Job.batch', 'PodDisruptionBudget.policy'], 'spec/selector/matchLabels'),
  field('CronJob.batch', 'spec/jobTemplate/spec/selector/matchLabels'),
  ...inTypes(
    ['NetworkPolicy.networking'],
    ...['podSelector', 'ingress/from/podSelector', 'egress/to/podSelector'].map((path) => `spec/${path}/matchLabels`),
  ),
];

const VALUES = inContainers('args', 'command', 'env/value', 'volumeMounts/mountPath');

const varReference: readonly FieldSpec[] = [
  ...inPods([...TEMPLATES.filter(([type]) => !['Pod@v1', 'PodTemplate'].includes(type)), ['Pod', 'spec']], VALUES),
  ...inPods(
    TEMPLATES.filter(([type]) => !['Pod@v1', 'PodTemplate', 'CronJob'].includes(type) && type !== 'StatefulSet'),
    ['volumes/nfs/server'],
  ),
  field('Pod', 'spec/volumes/nfs/server'),
  // This path does not lead to the volumes of such pods.
  field('CronJob', 'spec/jobTemplate/spec/template/volumes/nfs/server'),
  field('StatefulSet', 'spec/volumeClaimTemplates/spec/nfs/server'),
  field('PersistentVolume', 'spec/nfs/server'),
  field('Deployment', 'spec/template/metadata/annotations'),
  ...inTypes(['Ingress'], 'spec/rules/host', 'spec/tls/hosts', 'spec/tls/secretName'),
  ...inTypes(['Service'], 'spec/ports/port', 'spec/ports/targetPort'),
  ...['metadata/labels', 'metadata/annotations'].map((path) => field('', path)),
];

/** The fields that are known without `configurations`. */
export const defaultSpecs: FieldSpecs = {
  namePrefix: [field('', 'metadata/name')],
  nameSuffix: [field('', 'metadata/name')],
  namespace: [
    field('Namespace', 'metadata/name', true),
    field('APIService.apiregistration', 'spec/service/namespace', true),
    field('CustomResourceDefinition.apiextensions', 'spec/conversion/webhook/clientConfig/service/namespace'),
  ],
  commonLabels: [...selectors, ...templateLabels],
  labels: [],
  templateLabels,
  commonAnnotations: [...everywhere('annotations'), field('StatefulSet', 'spec/template/metadata/annotations', true)],
  nameReference,
  varReference,
  images: ['spec', 'spec/template/spec'].flatMap((pod) =>
    CONTAINERS.map((list) => field('', `${pod}/${list}[]/image`, true)),
  ),
  replicas: ['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map((kind) =>
    field(kind, 'spec/replicas', true),
  ),
};
