import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { PodSpecContext } from './context.ts';

type Spec = NonNullable<PodTemplateSpec['spec']>;

interface GatedField {
  /** The gates of a field. One of them is enough, because a later release replaced the one by the other. */
  readonly gates: readonly string[];
  isUsed(spec: Spec): boolean;
  drop(spec: Spec): void;
}

function spreadField(
  gate: string,
  ...names: readonly ('minDomains' | 'matchLabelKeys' | 'nodeAffinityPolicy' | 'nodeTaintsPolicy')[]
): GatedField {
  return {
    gates: [gate],
    isUsed: (spec) => (spec.topologySpreadConstraints ?? []).some((item) => names.some((name) => item[name] != null)),
    drop(spec) {
      for (const item of spec.topologySpreadConstraints ?? []) for (const name of names) delete item[name];
    },
  };
}

function containersOf(spec: Spec) {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function probesOf(spec: Spec) {
  return containersOf(spec).flatMap((container) =>
    [container.livenessProbe, container.readinessProbe, container.startupProbe].filter((probe) => probe != null),
  );
}

const GATED: readonly GatedField[] = [
  spreadField('MinDomainsInPodTopologySpread', 'minDomains'),
  spreadField('MatchLabelKeysInPodTopologySpread', 'matchLabelKeys'),
  spreadField('NodeInclusionPolicyInPodTopologySpread', 'nodeAffinityPolicy', 'nodeTaintsPolicy'),
  {
    gates: ['UserNamespacesStatelessPodsSupport', 'UserNamespacesSupport'],
    isUsed: (spec) => spec.hostUsers != null,
    drop(spec) {
      delete spec.hostUsers;
    },
  },
  {
    gates: ['ProbeTerminationGracePeriod'],
    isUsed: (spec) => probesOf(spec).some((probe) => probe.terminationGracePeriodSeconds != null),
    drop(spec) {
      for (const probe of probesOf(spec)) delete probe.terminationGracePeriodSeconds;
    },
  },
  {
    gates: ['GRPCContainerProbe'],
    isUsed: (spec) => probesOf(spec).some((probe) => probe.grpc != null),
    drop(spec) {
      for (const probe of probesOf(spec)) delete probe.grpc;
    },
  },
  {
    gates: ['ProcMountType'],
    isUsed: (spec) =>
      containersOf(spec).some(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default'),
    // Earlier releases set this default in every pod, so an existing default stays.
    drop(spec) {
      for (const { securityContext } of containersOf(spec)) {
        if (securityContext?.procMount != null) securityContext.procMount = 'Default';
      }
    },
  },
];

/** Drops an empty life cycle after the stop signal was removed because its feature is off. */
function dropEmptyLifecycles(spec: Spec | null | undefined): void {
  if (spec == null) return;
  for (const container of containersOf(spec))
    if (container.lifecycle !== undefined && Object.keys(container.lifecycle ?? {}).length === 0)
      delete container.lifecycle;
}

/** Drops fields of a pod or template in place if their feature gates are off, unless `old` already uses them. */
export function dropDisabledFields(
  pod: PodTemplateSpec | null | undefined,
  old: PodTemplateSpec | null | undefined,
  { naming, gates, release }: PodSpecContext,
): void {
  if (pod == null) return;
  for (const { gates: any, isUsed, drop } of GATED) {
    if (pod.spec == null || any.some((gate) => gates.enabled(gate))) continue;
    if (old?.spec == null || !isUsed(old.spec)) drop(pod.spec);
  }
  if (release.atLeast(33) && !gates.enabled('ContainerStopSignals')) dropEmptyLifecycles(pod.spec);
  if (gates.enabled('AppArmor')) return;
  const prefix = naming.key('container.apparmor.security.beta/');
  const isProfile = (key: string) => key.startsWith(prefix);
  if (Object.keys(old?.metadata?.annotations ?? {}).some(isProfile)) return;
  for (const key of Object.keys(pod.metadata?.annotations ?? {})) {
    if (isProfile(key)) delete pod.metadata!.annotations![key];
  }
}
