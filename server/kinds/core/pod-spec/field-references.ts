import { table } from '#base/collections/own-properties.ts';
import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '#schema/generated/core.v1.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { PodSpecContext } from './context.ts';

/** The fields of its pod that a file of a volume may show. */
export const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
/** The fields of its pod that an environment variable may show. */
export const VARIABLE_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
];
const KNOWN_FIELDS = new Set([
  ...FILE_FIELDS,
  ...VARIABLE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Validates a reference to a field of the pod: one of `allowed`, or one label or annotation. */
export function validateFieldReference(
  reference: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
): FieldError[] {
  const { apiVersion = '', fieldPath = '' } = reference;
  if (apiVersion === '') return [required(path.child('apiVersion'))];
  if (fieldPath === '') return [required(path.child('fieldPath'))];
  const refuse = (problem: string) => [
    invalidValue(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== 'v1') return refuse(`unsupported pod version: ${apiVersion}`);
  const opened = fieldPath.indexOf("['", 1);
  if (opened > 0 && fieldPath.endsWith("']") && fieldPath.length >= opened + 4) {
    const field = fieldPath.slice(0, opened);
    const key = fieldPath.slice(opened + 2, -2);
    if (field !== 'metadata.annotations' && field !== 'metadata.labels') {
      return refuse(`field label does not support subscript: ${fieldPath}`);
    }
    const name = field === 'metadata.annotations' ? key.toLowerCase() : key;
    return qualifiedName(name).map((problem) => invalidValue(path, name, problem));
  }
  // This is an old name of the same field.
  const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!KNOWN_FIELDS.has(field)) return refuse(`field label not supported: ${fieldPath}`);
  return allowed.includes(field) ? [] : [notSupported(path.child('fieldPath'), field, allowed)];
}

const SCALES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix) => `1${suffix}`);
const DIVISORS: Record<string, { readonly what: string; readonly allowed: readonly string[]; readonly text: string }> =
  table({
    cpu: { what: 'cpu', allowed: ['1m', '1'], text: '1m and 1' },
    memory: { what: 'memory', allowed: SCALES, text: SCALES.join(', ') },
    'ephemeral-storage': { what: 'local ephemeral storage', allowed: SCALES, text: SCALES.join(', ') },
    hugepages: { what: 'hugepages', allowed: SCALES, text: SCALES.join(', ') },
  });
const AMOUNTS = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
);
const HUGE_PAGES = /^(limits|requests)\.hugepages-/;

/** Validates a reference to an amount of a container. For a file, it must name the container. */
export function validateResourceReference(
  reference: ResourceFieldSelector,
  where: 'file' | 'variable',
  path: FieldPath,
  { gates }: Pick<PodSpecContext, 'gates'>,
): FieldError[] {
  const { resource = '' } = reference;
  const errors: FieldError[] = [];
  if (where === 'file' && !reference.containerName) {
    errors.push(required(path.child('containerName')));
  } else if (resource === '') {
    errors.push(required(path.child('resource')));
  } else if (!AMOUNTS.includes(resource) && !(HUGE_PAGES.test(resource) && gates.enabled('DownwardAPIHugePages'))) {
    errors.push(notSupported(path.child('resource'), resource, AMOUNTS));
  }
  return [...errors, ...validateDivisor(resource, reference.divisor, path.child('divisor'))];
}

function validateDivisor(resource: string, divisor: string | undefined, path: FieldPath): FieldError[] {
  const amount = parseQuantity(divisor ?? '0');
  const rule = DIVISORS[HUGE_PAGES.test(resource) ? 'hugepages' : resource.replace(/^(limits|requests)\./, '')];
  if (amount.isZero || rule === undefined || rule.allowed.includes(amount.toString())) return [];
  return [
    invalidValue(path, resource, `only divisor's values ${rule.text} are supported with the ${rule.what} resource`),
  ];
}
