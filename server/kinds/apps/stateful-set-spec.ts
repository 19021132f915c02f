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
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import type { LabelSelector } from '#schema/validation/label-selector.ts';
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

/** The template of pods with the volumes of its claims: the set adds them to each pod. */
function withClaims(template: PodTemplateSpec, claims: StatefulSetSpec['volumeClaimTemplates']): PodTemplateSpec {
  const given = template.spec?.volumes ?? [];
  const added = (claims ?? [])
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => !given.some((volume) => volume.name === name))
    .map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...(template.spec ?? { containers: null }), volumes: [...given, ...added] } };
}

/** Since 1.37, checks the objects that the set makes: its claims, and its pods with the volumes of these claims. */
function validateMade(
  spec: StatefulSetSpec,
  path: FieldPath,
  context: PodSpecContext,
  old: StatefulSetSpec | undefined,
): FieldError[] {
  const { volumeClaimTemplates: claims, template } = spec;
  const rules = { allowSinglePod: true, anyGroup: false };
  const sameClaims = old !== undefined && semanticallyEqual(claims, old.volumeClaimTemplates);
  return [
    ...(sameClaims
      ? []
      : (claims ?? []).flatMap((claim, i) =>
          validateClaimSpec(claim.spec ?? {}, rules, path.child('volumeClaimTemplates').index(i).child('spec')),
        )),
    ...(sameClaims && semanticallyEqual(template, old.template)
      ? []
      : validatePodTemplate(withClaims(template, claims), path.child('template'), context, old?.template)),
  ];
}

/** Before 1.37, only the metadata of a template is checked. */
function validateTemplate(
  selector: LabelSelector | null,
  template: PodTemplateSpec,
  path: FieldPath,
  context: PodSpecContext,
  old: PodTemplateSpec | undefined,
): FieldError[] {
  if (!isUsable(selector, path)) return [unusable(selector, path.child('selector'), '')];
  const at = path.child('template');
  if (context.release.atLeast(37)) return validateSelects(selector, template.metadata?.labels, at);
  const { labels, annotations } = template.metadata ?? {};
  return [
    ...validateSelects(selector, labels, at),
    ...validateLabels(labels, at.child('labels')),
    ...validateAnnotations(annotations, at.child('annotations')),
    ...validatePodAnnotations(
      annotations,
      template.spec ?? { containers: null },
      at.child('annotations'),
      context,
      old?.metadata?.annotations,
    ),
  ];
}

/** Everything about the spec of a stateful set that holds at any time. */
export function validateStatefulSetSpec(
  spec: StatefulSetSpec | undefined,
  path: FieldPath,
  context: PodSpecContext,
  old?: StatefulSetSpec,
): FieldError[] {
  const { selector, template, replicas, ...rest }: StatefulSetSpec = spec ?? {
    selector: null,
    template: {},
    serviceName: '',
  };
  const namesService = (rest.serviceName ?? '') !== '' && old === undefined && context.release.atLeast(33);
  return [
    ...validateManagement(rest.podManagementPolicy, path.child('podManagementPolicy')),
    ...validateStrategy(rest.updateStrategy ?? {}, path.child('updateStrategy')),
    ...validateClaimPolicy(
      rest.persistentVolumeClaimRetentionPolicy,
      path.child('persistentVolumeClaimRetentionPolicy'),
    ),
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
    ...validateWorkloadSelector(selector, 'statefulset', path.child('selector')),
    ...validateTemplate(selector, template, path, context, old?.template),
    ...(context.release.atLeast(37) && spec !== undefined ? validateMade(spec, path, context, old) : []),
    ...validateRunsForever(template, 'StatefulSet', path.child('template')),
    ...(namesService ? validateText(rest.serviceName, dns1123Label, path.child('serviceName')) : []),
  ];
}
