import { append } from '#base/collections/append.ts';
import { own } from '#base/collections/own-properties.ts';
import type { FieldPath } from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type Entry, inForce, since, until } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';
import type {
  Container,
  EnvVar,
  EphemeralContainer,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '#schema/generated/core.v1.ts';
import {
  deprecatedLabelWarning,
  namedLabelWarning,
  nodeSelectorWarnings,
  requirementWarnings,
} from '#schema/validation/deprecated-labels.ts';
import { ipWarnings } from '#schema/validation/ip-names.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import { amountWarnings } from '../persistent-volume-claim/warnings.ts';
import { podAnnotations } from './annotations.ts';
import type { PodSpecContext } from './context.ts';
import { pathWarnings } from './path-warnings.ts';
import { portWarnings } from './port-warnings.ts';
import { profileOfAnnotation } from './seccomp.ts';
import { visitContainers } from './visit-containers.ts';

type Keys = Pick<Naming, 'key'>;

/** Resources whose amounts are whole numbers of bytes. */
const BYTE_AMOUNTS = ['memory', 'ephemeral-storage'] as const;

type Deprecated = Entry<readonly [source: keyof Volume, shown: string, text: string]>;

const ENDS = 'support removal is planned in v1.26';
const ENDS_SOON = 'this feature will be removed soon after in a subsequent release';

/** Types of volumes that are deprecated or removed, in the order of their warnings. */
const DEPRECATED_VOLUMES: readonly Deprecated[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  until('1.27', ['flocker', 'flocker', `deprecated in v1.22, ${ENDS}`]),
  since('1.27', ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+']),
  until('1.27', ['storageos', 'storageOS', `deprecated in v1.22, ${ENDS}`]),
  since('1.27', ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+']),
  until('1.27', ['quobyte', 'quobyte', `deprecated in v1.22, ${ENDS}`]),
  since('1.27', ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+']),
  until('1.27', ['glusterfs', 'glusterfs', `deprecated in v1.25, ${ENDS_SOON}`]),
  since('1.27', ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+']),
  since('1.28', ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+']),
  since('1.28', ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+']),
];

const deprecatedIn = new Map<Release, ReturnType<typeof inForce<readonly [keyof Volume, string, string]>>>();

/** The end of the warning about a volume with a disabled driver. */
const OFF = ', and disabled by default in v1.33+';

/** Warnings about a pod or template at `path`: deprecated, ineffective and repeated fields. */
export function podWarnings(pod: PodTemplateSpec, path: FieldPath, context: PodSpecContext): string[] {
  const { naming, release } = context;
  const { metadata = {}, spec } = pod;
  if (spec == null) return [];
  const at = path.child('spec');
  return [
    ...nodeLabels(spec, at, naming, release),
    ...annotations(metadata.annotations ?? {}, path, naming),
    ...volumes(spec.volumes ?? [], at.child('volumes'), context),
    ...pathWarnings(spec.volumes ?? [], release),
    ...repeated(spec.hostAliases ?? [], ({ ip = '' }) => ip, 'ip', at.child('hostAliases')),
    ...pullSecrets(spec, at.child('imagePullSecrets')),
    ...repeated(spec.volumes ?? [], ({ name = '' }) => name, 'name', at.child('volumes')),
    ...BYTE_AMOUNTS.flatMap((name) => fraction(own(spec.overhead, name), at.child('overhead').key(name))),
    ...seccompOfPod(metadata.annotations ?? {}, spec, path, context),
    ...containers(spec, at, metadata.annotations ?? {}, path, context),
    ...portWarnings(spec, at, release),
    ...negativeGrace(spec, at.child('terminationGracePeriodSeconds'), release),
    ...affinityTerms(spec, at, release),
    ...addresses(spec, at, release),
  ];
}

function nodeLabels(spec: PodSpec, path: FieldPath, naming: Keys, release: Release): string[] {
  const nodes = spec.affinity?.nodeAffinity;
  const affinity = path.child('affinity', 'nodeAffinity');
  const preferred = affinity.child('preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((label) =>
      deprecatedLabelWarning(label, path.child('nodeSelector').key(label), naming),
    ),
    ...nodeSelectorWarnings(
      nodes?.requiredDuringSchedulingIgnoredDuringExecution,
      affinity.child('requiredDuringSchedulingIgnoredDuringExecution'),
      naming,
    ),
    ...(nodes?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, i) =>
      requirementWarnings(
        preference?.matchExpressions,
        preferred.index(i).child('preference', 'matchExpressions'),
        naming,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, i) => {
      const constraint = path.child('topologySpreadConstraints').index(i);
      return [
        ...namedLabelWarning(topologyKey, constraint.child('topologyKey'), naming),
        ...noSelector(labelSelector, constraint, release),
      ];
    }),
  ];
}

/** Since 1.28, a warning about a missing selector, because it selects no pod. */
function noSelector(selector: object | null | undefined, path: FieldPath, release: Release): string[] {
  if (selector != null || !release.atLeast(28)) return [];
  return [`${path.child('labelSelector')}: a null labelSelector results in matching no pod`];
}

/** Since 1.28, warnings about affinity terms without selectors. */
function affinityTerms({ affinity }: PodSpec, path: FieldPath, release: Release): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const at = path.child('affinity', name);
    const { requiredDuringSchedulingIgnoredDuringExecution: required, ...rest } = affinity?.[name] ?? {};
    const preferred = rest.preferredDuringSchedulingIgnoredDuringExecution;
    return [
      ...(required ?? []).flatMap(({ labelSelector }, i) =>
        noSelector(labelSelector, at.child('requiredDuringSchedulingIgnoredDuringExecution').index(i), release),
      ),
      ...(preferred ?? []).flatMap(({ podAffinityTerm }, i) =>
        noSelector(
          podAffinityTerm?.labelSelector,
          at.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('podAffinityTerm'),
          release,
        ),
      ),
    ];
  });
}

/** Since 1.33, warnings about addresses that do not have the canonical form. */
function addresses({ dnsConfig, hostAliases }: PodSpec, path: FieldPath, release: Release): string[] {
  if (!release.atLeast(33)) return [];
  const servers = path.child('dnsConfig', 'nameservers');
  const aliases = path.child('hostAliases');
  return [
    ...(dnsConfig?.nameservers ?? []).flatMap((address, i) => ipWarnings(address, servers.index(i))),
    ...(hostAliases ?? []).flatMap(({ ip = '' }, i) => ipWarnings(ip, aliases.index(i).child('ip'))),
  ];
}

function annotations(given: Readonly<Record<string, string>>, path: FieldPath, naming: Keys): string[] {
  const dead: readonly (readonly [key: string, text: string])[] = [
    ['scheduler.alpha/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
    ['security.alpha/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
    ['security.alpha/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ];
  const at = path.child('metadata', 'annotations');
  return dead
    .map(([short, text]) => [naming.key(short), text] as const)
    .filter(([key]) => given[key] !== undefined)
    .map(([key, text]) => `${at.key(key)}: ${text}`);
}

/** The profile of a pod that has it only in the form of older versions. */
function seccompOfPod(
  given: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: FieldPath,
  { naming, release }: PodSpecContext,
): string[] {
  const { seccompPod } = podAnnotations(naming);
  if (given[seccompPod] === undefined || spec.securityContext?.seccompProfile != null) return [];
  return [`${path.child('metadata', 'annotations').key(seccompPod)}: ${seccompText(release)}`];
}

function seccompText(release: Release): string {
  const state = release.atLeast(27)
    ? 'non-functional in v1.27+'
    : 'deprecated since v1.19, non-functional in a future release';
  return `${state}; use the "seccompProfile" field instead`;
}

function volumes(list: readonly Volume[], path: FieldPath, { gates, release }: PodSpecContext): string[] {
  const isOff = release.atLeast(33) && !gates.enabled('GitRepoVolumeDriver');
  let deprecated = deprecatedIn.get(release);
  if (deprecated === undefined) deprecatedIn.set(release, (deprecated = inForce(release, DEPRECATED_VOLUMES)));
  const all = deprecated;
  return list.flatMap((volume, i) => [
    ...all
      .filter(([source]) => volume[source] != null)
      .map(
        ([source, shown, text]) => `${path.index(i).child(shown)}: ${text}${source === 'gitRepo' && isOff ? OFF : ''}`,
      ),
    ...amountWarnings(
      volume.ephemeral?.volumeClaimTemplate?.spec,
      path.index(i).child('ephemeral', 'volumeClaimTemplate', 'spec'),
      release,
    ),
  ]);
}

/** One warning for every item with the same `field` as an earlier item. */
function repeated<T>(items: readonly T[], shownValue: (item: T) => string, field: string, path: FieldPath): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = shownValue(item);
    const again = seen.has(value);
    seen.add(value);
    return again ? [`${path.index(i).child(field)}: duplicate ${field} ${JSON.stringify(value)}`] : [];
  });
}

function pullSecrets({ imagePullSecrets = [] }: PodSpec, path: FieldPath): string[] {
  return [
    ...repeated(imagePullSecrets, ({ name = '' }) => name, 'name', path),
    ...imagePullSecrets.flatMap(({ name = '' }, i) =>
      name === '' ? [`${path.index(i).child('name')}: invalid empty name ""`] : [],
    ),
  ];
}

function containers(
  spec: PodSpec,
  at: FieldPath,
  given: Readonly<Record<string, string>>,
  path: FieldPath,
  { naming, release }: PodSpecContext,
): string[] {
  const { seccompPrefix } = podAnnotations(naming);
  return visitContainers(spec, at).flatMap(({ container, path: inside }) => {
    const result: string[] = [];
    const annotation = seccompPrefix + container.name;
    if (given[annotation] !== undefined && container.securityContext?.seccompProfile == null) {
      result.push(`${path.child('metadata', 'annotations').key(annotation)}: ${seccompText(release)}`);
    }
    append(result, appArmorOfTemplate(spec, container, given, path, { naming, release }));
    for (const name of BYTE_AMOUNTS) {
      for (const list of ['limits', 'requests'] as const) {
        append(result, fraction(own(container.resources?.[list], name), inside.child('resources', list).key(name)));
      }
    }
    return [...result, ...repeatedVariables(container.env ?? [], inside.child('env'), release)];
  });
}

/**
 * Since 1.30, a warning about the profile of a container of a template that has it only in the form of older versions.
 * Since 1.34 it may have both forms if they are equal. Pods themselves get the fields from it: see app-armor.ts.
 */
function appArmorOfTemplate(
  { securityContext: ofPod }: PodSpec,
  { name, securityContext: own }: Container | EphemeralContainer,
  given: Readonly<Record<string, string>>,
  path: FieldPath,
  { naming, release }: Pick<PodSpecContext, 'naming' | 'release'>,
): string[] {
  const key = podAnnotations(naming).appArmorPrefix + name;
  const annotation = given[key];
  const isTemplate = path.toString() !== '';
  if (!isTemplate || !release.atLeast(30) || annotation === undefined || own?.appArmorProfile != null) return [];
  const profile = ofPod?.appArmorProfile;
  const agrees = !release.atLeast(34) || jsonEqual({ ...profile }, { ...profileOfAnnotation(annotation) });
  if (profile != null && agrees) return [];
  return [
    `${path.child('metadata', 'annotations').key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`,
  ];
}

/**
 * Repeated names. Until 1.27 every one counts. After that it counts only if the value does not refer to the earlier
 * value.
 */
function repeatedVariables(variables: readonly EnvVar[], path: FieldPath, release: Release): string[] {
  if (!release.atLeast(28)) return repeated(variables, ({ name = '' }) => name, 'name', path);
  const seen = new Set<string>();
  const effect = release.atLeast(30) ? ', which may be dropped when using apply' : '';
  return variables.flatMap(({ name = '', value = '', valueFrom }, i) => {
    const again = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const builds = valueFrom == null && value !== reference && value.includes(reference);
    if (!again || builds) return [];
    return [`${path.index(i)}: hides previous definition of ${JSON.stringify(name)}${effect}`];
  });
}

function negativeGrace(
  { terminationGracePeriodSeconds: seconds }: PodSpec,
  path: FieldPath,
  release: Release,
): string[] {
  if (seconds == null || Number(seconds) >= 0 || !release.atLeast(27)) return [];
  return [`${path}: must be >= 0; negative values are invalid and will be treated as 1`];
}

function fraction(amount: string | undefined, path: FieldPath): string[] {
  if (amount === undefined || parseQuantity(amount).milliValue() % 1000n === 0n) return [];
  return [`${path}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
}
