import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { validateAnnotations } from '#schema/validation/annotations.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { invalidShown, type Shown } from '#schema/validation/go-list.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { invalidAmount, isNone, validateAtMostAll, validateCountOrPercent } from '#schema/validation/percent.ts';
import { validateText } from '#schema/validation/reference.ts';
import { shownIntOrString } from '#schema/validation/shown-values.ts';
import { validateClaimSpec } from '../core/persistent-volume-claim.ts';
import { validatePodAnnotations } from '../core/pod-spec/annotations.ts';
import type { PodSpecContext } from '../core/pod-spec/context.ts';
import { validatePodTemplate } from '../core/pod-spec/template.ts';
import { isUsable, unusable, validateSelects, validateWorkloadSelector } from './workload-selector.ts';
import { validateRunsForever } from './workload-template.ts';

const CLAIM_POLICIES = ['Retain', 'Delete'];

function validateManagement(policy: string | undefined, path: FieldPath): FieldError[] {
  if ((policy ?? '') === '') return [required(path)];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidValue(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function shownRolling({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): Shown {
  const most = maxUnavailable === undefined ? '(*intstr.IntOrString)(nil)' : shownIntOrString(maxUnavailable).typed;
  return {
    typed: `apps.RollingUpdateStatefulSetStrategy{Partition:${partition}, MaxUnavailable:${most}}`,
    json: JSON.stringify({ Partition: partition, MaxUnavailable: maxUnavailable ?? null }),
  };
}

function shownStrategy({ type = '', rollingUpdate }: StatefulSetUpdateStrategy): Shown {
  const rolling =
    rollingUpdate === undefined
      ? { typed: '(*apps.RollingUpdateStatefulSetStrategy)(nil)', json: 'null' }
      : shownRolling(rollingUpdate);
  return {
    typed: `apps.StatefulSetUpdateStrategy{Type:${JSON.stringify(type)}, RollingUpdate:${rolling.typed}}`,
    json: `{"Type":${JSON.stringify(type)},"RollingUpdate":${rolling.json}}`,
  };
}

function validateRolling(rolling: RollingUpdateStatefulSetStrategy, path: FieldPath): FieldError[] {
  const errors = validateBound(
    rolling.partition,
    bounds['apps.v1.RollingUpdateStatefulSetStrategy'].partition,
    path.child('partition'),
  );
  const most = rolling.maxUnavailable;
  if (most === undefined) return errors;
  const at = path.child('maxUnavailable');
  return [
    ...errors,
    ...validateCountOrPercent(most, at),
    ...(isNone(most) ? [invalidAmount(most, at, 'cannot be 0')] : []),
    ...validateAtMostAll(most, at),
  ];
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  const at = path.child('rollingUpdate');
  if (type === '') return [required(path)];
  if (type === 'RollingUpdate') return rollingUpdate === undefined ? [] : validateRolling(rollingUpdate, at);
  if (type !== 'OnDelete') {
    return [invalidShown(path, shownStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (rollingUpdate === undefined) return [];
  return [invalidShown(at, shownRolling(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")];
}

function validateClaimPolicy(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
): FieldError[] {
  if (policy === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const)
    .filter((field) => !CLAIM_POLICIES.includes(policy[field] ?? ''))
    .map((field) => notSupported(path.child(field), policy[field] ?? '', CLAIM_POLICIES));
}

/** A pod of a set, for checks. The set adds its claims as volumes, and its DNS names. */
function podOfSet({ template, volumeClaimTemplates: claims }: StatefulSetSpec): PodTemplateSpec {
  const { volumes = [], hostname: _hostname, subdomain: _subdomain, ...rest } = template.spec ?? { containers: null };
  const names = new Set((claims ?? []).map(({ metadata }) => metadata?.name ?? ''));
  const added = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...rest, volumes: [...added, ...volumes.filter(({ name }) => !names.has(name))] } };
}

/** Since 1.37, checks the claims that a new set makes. They never change, so an update does not check them. */
function validateClaims(claims: StatefulSetSpec['volumeClaimTemplates'], path: FieldPath): FieldError[] {
  const rules = { allowSinglePod: true, anyGroup: false };
  return (claims ?? []).flatMap((claim, i) => validateClaimSpec(claim.spec ?? {}, rules, path.index(i).child('spec')));
}

/** Finds errors of the pods that a set makes. */
type PodCheck = (
  spec: StatefulSetSpec,
  path: FieldPath,
  context: PodSpecContext,
  old: StatefulSetSpec | undefined,
) => FieldError[];

const errorsOfPods: PodCheck = (spec, path, context, old) =>
  validatePodTemplate(podOfSet(spec), path.child('template'), context, old?.template);

/**
 * Since 1.37, checks the pods that a set makes, unless the set had errors before. Earlier releases accepted such sets.
 */
const newErrorsOfPods: PodCheck = (spec, path, context, old) => {
  const errors = errorsOfPods(spec, path, context, old);
  if (errors.length === 0 || old === undefined) return errors;
  return validateSpec(old, path, context, old, errorsOfPods).length > 0 ? [] : errors;
};

/** Before 1.37, only the metadata of a template is checked. */
function validateTemplate(
  spec: StatefulSetSpec,
  path: FieldPath,
  context: PodSpecContext,
  old: StatefulSetSpec | undefined,
  pods: PodCheck,
): FieldError[] {
  const { selector, template } = spec;
  if (!isUsable(selector, path)) return [unusable(selector, path.child('selector'), '')];
  const at = path.child('template');
  const { labels, annotations } = template.metadata ?? {};
  return [
    ...validateSelects(selector, labels, at),
    ...(context.release.atLeast(37) ? pods(spec, path, context, old) : []),
    ...validateLabels(labels, at.child('labels')),
    ...validateAnnotations(annotations, at.child('annotations')),
    ...validatePodAnnotations(
      annotations,
      template.spec ?? { containers: null },
      at.child('annotations'),
      context,
      old?.template.metadata?.annotations,
    ),
  ];
}

/** Validates the spec of a stateful set by the rules that always apply. */
export function validateStatefulSetSpec(
  spec: StatefulSetSpec | undefined,
  path: FieldPath,
  context: PodSpecContext,
  old?: StatefulSetSpec,
): FieldError[] {
  const whole: StatefulSetSpec = spec ?? { selector: null, template: {}, serviceName: '' };
  return validateSpec(whole, path, context, old, newErrorsOfPods);
}

function validateSpec(
  spec: StatefulSetSpec,
  path: FieldPath,
  context: PodSpecContext,
  old: StatefulSetSpec | undefined,
  pods: PodCheck,
): FieldError[] {
  const { selector, template, replicas, ...rest } = spec;
  const { release } = context;
  const namesService = (rest.serviceName ?? '') !== '' && old === undefined && release.atLeast(33);
  return [
    ...validateManagement(rest.podManagementPolicy, path.child('podManagementPolicy')),
    ...validateStrategy(rest.updateStrategy ?? {}, path.child('updateStrategy')),
    ...validateClaimPolicy(
      rest.persistentVolumeClaimRetentionPolicy,
      path.child('persistentVolumeClaimRetentionPolicy'),
    ),
    ...(old === undefined && release.atLeast(37)
      ? validateClaims(rest.volumeClaimTemplates, path.child('volumeClaimTemplates'))
      : []),
    ...validateBound(replicas, bounds['apps.v1.StatefulSetSpec'].replicas, path.child('replicas')),
    ...validateBound(
      rest.minReadySeconds,
      bounds['apps.v1.StatefulSetSpec'].minReadySeconds,
      path.child('minReadySeconds'),
    ),
    ...validateBound(
      rest.ordinals?.start,
      bounds['apps.v1.StatefulSetOrdinals'].start,
      path.child('ordinals').child('start'),
    ),
    ...(namesService ? validateText(rest.serviceName, dns1123Label, path.child('serviceName')) : []),
    ...validateWorkloadSelector(selector, 'statefulset', path.child('selector')),
    ...validateTemplate(spec, path, context, old, pods),
    ...validateRunsForever(template, 'StatefulSet', path.child('template')),
  ];
}
