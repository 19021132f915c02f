import { append } from '#base/collections/append.ts';
import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  fieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  shown,
} from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { nodeVersions } from '#schema/conversion/core/node.ts';
import type { Node, Taint } from '#schema/generated/core.v1.ts';
import { forbidChange } from '#schema/validation/immutable.ts';
import { familyOf, parseCidr } from '#schema/validation/ip.ts';
import { cidrSpelling, cidrWarnings } from '#schema/validation/ip-names.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import { labelValue } from '#schema/validation/names.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceQuantity } from '#schema/validation/resources.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { STRICT_SPELLING } from '../networking/strict-spelling.ts';
import { productName } from '../product-name.ts';
import { nodeCells } from './node-cells.ts';

/** A field error with a detail after its message. */
function withDetail(error: FieldError, detail: string): FieldError {
  const body = `${error.body}: ${detail}`;
  return { ...error, body, text: `${error.field}: ${body}` };
}

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
const TAINTS = new FieldPath('metadata').child('taints');
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaint({ key, value = '', effect }: Taint, path: FieldPath): FieldError[] {
  const errors = validateLabelKey(key, path.child('key'));
  const problems = labelValue(value);
  if (problems.length > 0) errors.push(invalidValue(path.child('value'), value, problems.join(';')));
  if (effect === '') errors.push(required(path.child('effect')));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(path.child('effect'), effect, EFFECTS));
  return errors;
}

function validateTaints(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const errors = validateTaint(taint, TAINTS.index(i));
    const id = `${taint.effect} ${taint.key}`;
    if (seen.has(id)) {
      errors.push(withDetail(duplicate(TAINTS.index(i), taint), 'taints must be unique by key and effect pair'));
    }
    seen.add(id);
    return errors;
  });
}

function validateResources({ status }: Node, { naming }: WriteContext): FieldError[] {
  const names = resourceNames(naming);
  return (['capacity', 'allocatable'] as const).flatMap((field) =>
    Object.entries(status?.[field] ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, amount]) => validateResourceQuantity(name, amount, names, STATUS.child(field, name))),
  );
}

/** The error about an invalid range. With an invalid range, the families cannot be counted. */
function uncheckedFamilies(path: FieldPath, cidr: string): FieldError {
  const why = `failed to parse cidr value:${JSON.stringify(cidr)} with error:invalid CIDR address: ${cidr}`;
  return fieldError(
    'InternalError',
    path,
    `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${why}`,
  );
}

/** Validates the ranges for pods. There is one for each IP family. */
function validatePodCidrs(cidrs: readonly string[], { gates, release }: WriteContext): FieldError[] {
  const path = SPEC.child('podCIDRs');
  const ranges = cidrs.map((cidr) => parseCidr(cidr));
  let list: string | undefined;
  const unreadable = (at: FieldPath): FieldError => {
    // The text is made once, because each of these errors shows the whole list.
    list ??= shown(cidrs);
    return fieldError('FieldValueInvalid', at, `Invalid value: ${list}: must be valid CIDR`);
  };
  const errors = ranges.flatMap((range, i) => {
    if (!release.atLeast(31)) return range === undefined ? [unreadable(path.index(i))] : [];
    const problems = cidrSpelling(cidrs[i]!, { strict: gates.enabled(STRICT_SPELLING) });
    return problems.map((problem) => invalidValue(path.index(i), cidrs[i], problem));
  });
  if (cidrs.length < 2) return errors;
  const first = ranges.indexOf(undefined);
  if (first >= 0) errors.push(uncheckedFamilies(path, cidrs[first]!));
  const families = new Set(ranges.slice(0, first < 0 ? undefined : 0).map((range) => familyOf(range!.address)));
  if (cidrs.length > 2 || families.size < 2) {
    errors.push(invalidValue(path, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  const again = askedBefore<string>();
  cidrs.forEach((cidr, i) => {
    if (again(cidr)) errors.push(duplicate(path.index(i), cidr));
  });
  return errors;
}

function validateAddresses({ status }: Node): FieldError[] {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap((address, i) => {
    const id = `${address.type} ${address.address}`;
    const again = seen.has(id);
    seen.add(id);
    return again ? [duplicate(STATUS.child('addresses').index(i), address)] : [];
  });
}

const FEATURES = STATUS.child('declaredFeatures');

/** Validates the names of features of the node's agent. Each occurs once, in order. */
function validateFeatures({ status }: Node): FieldError[] {
  const features = status?.declaredFeatures ?? [];
  return features.flatMap((feature, i) => {
    const before = features[i - 1];
    if (before === undefined || before < feature) return [];
    if (before === feature) return [duplicate(FEATURES.index(i), feature)];
    return [invalidValue(FEATURES.index(i), feature, 'list must be sorted alphabetically')];
  });
}

/**
 * Validates a change. The addresses of pods and the provider's name of a node must not change after they are set.
 * Taints may change.
 */
function validateUpdate(object: Node, old: Node, context: WriteContext): FieldError[] {
  const errors = [...validateResources(object, context), ...validateAddresses(object), ...validateFeatures(object)];
  const once = (field: string) => `node updates may not change ${field} except from "" to valid`;
  const { podCIDRs: cidrs = [], providerID = '', externalID = '', taints = [] } = object.spec ?? {};
  const { podCIDRs: oldCidrs = [], providerID: oldProvider = '', externalID: oldExternal = '' } = old.spec ?? {};
  if (oldCidrs.length > 0) append(errors, forbidChange(cidrs, oldCidrs, SPEC.child('podCIDRs'), once('podCIDR')));
  if (oldProvider !== '' && providerID !== oldProvider) {
    const path = SPEC.child('providerID');
    const later = invalidValue(path, null, `field cannot be ${providerID === '' ? 'cleared' : 'modified'} once set`);
    errors.push({ ...forbiddenField(path, once('providerID')), since: [[37, later]] });
  }
  append(errors, validateTaints(taints));
  if (externalID !== oldExternal) errors.push(forbiddenField(SPEC.child('externalID'), 'may not be updated'));
  return errors;
}

/** Since 1.27, a warning about a field without effect, and since 1.33 about the spelling of ranges. */
function nodeWarnings({ spec }: Node, _old: Node | undefined, { naming, release }: WriteContext): string[] {
  const unused = release.atLeast(27) && (spec?.externalID ?? '') !== '';
  return [
    ...(unused ? [`spec.externalID: this field is deprecated, and is unused by ${productName(naming)}`] : []),
    ...(release.atLeast(33) ? (spec?.podCIDRs ?? []) : []).flatMap((range, i) =>
      cidrWarnings(range, SPEC.child('podCIDRs').index(i)),
    ),
  ];
}

/** Drops the configuration that nodes once loaded themselves. It is accepted and never kept. */
function dropConfiguration(object: Node): void {
  if (object.spec !== undefined) delete object.spec.configSource;
  if (object.status !== undefined) delete object.status.config;
}

/** The kind of nodes, which are machines that run pods. */
export const node = defineKind('core/nodes', {
  versions: nodeVersions,
  takesStatus: (old) => old === undefined,
  prepareForCreate: dropConfiguration,
  prepareForUpdate: dropConfiguration,
  warnings: nodeWarnings,
  validate: (object, context) => [
    ...validateTaints(object.spec?.taints ?? []),
    ...validateResources(object, context),
    ...validatePodCidrs(object.spec?.podCIDRs ?? [], context),
    ...validateFeatures(object),
  ],
  validateUpdate: (object, old, context) => [
    ...validateKindMetadata(object, { namespaced: false }, context.naming),
    ...validateTaints(object.spec?.taints ?? []),
    ...validateResources(object, context),
    ...validatePodCidrs(object.spec?.podCIDRs ?? [], context),
    ...validateUpdate(object, old, context),
  ],
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        if (old.spec === undefined) delete object.spec;
        else object.spec = cloneJson(old.spec);
        dropConfiguration(object);
      },
      validateUpdate,
    },
  },
  selectableFields: { 'spec.unschedulable': (object) => String(object.spec?.unschedulable ?? false) },
  cells: nodeCells,
});
