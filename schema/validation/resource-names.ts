import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { qualifiedName } from './names.ts';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const REQUESTED = [
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
];
const QUOTA = new Set([...REQUESTED, ...COUNTED, 'requests.storage']);
const STANDARD = new Set([...QUOTA, 'storage']);
const HUGE_PAGES = 'hugepages-';

/** The meaning of resource names. A name whose domain is not the product's is an extended resource. */
export interface ResourceNames {
  /** Whether a resource is huge pages of some size: `hugepages-2Mi`. */
  isHugePages(name: string): boolean;
  /** Whether a resource belongs to the product. This includes all names without a domain. */
  isNative(name: string): boolean;
  isExtended(name: string): boolean;
  /** Whether amounts of a resource must be whole numbers. */
  isCounted(name: string): boolean;
  /** Whether requests may be lower than limits. */
  isOvercommitAllowed(name: string): boolean;
  /** Validates a resource name of any sort. The other checks use it. */
  validate(name: string, path: FieldPath): FieldError[];
  validateForContainer(name: string, path: FieldPath): FieldError[];
  validateForQuota(name: string, path: FieldPath): FieldError[];
}

/** Resource names under a naming profile. */
export function resourceNames(naming: Pick<Naming, 'domains'>): ResourceNames {
  const isHugePages = (name: string) => name.startsWith(HUGE_PAGES);
  const isNative = (name: string) =>
    !name.includes('/') || naming.domains.some((domain) => name.includes(`${domain}/`));
  const isExtended = (name: string) =>
    !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;

  const refuse = (path: FieldPath, name: string, detail: string) => [invalidValue(path, name, detail)];

  function validate(name: string, path: FieldPath): FieldError[] {
    const problems = qualifiedName(name);
    if (problems.length > 0) return problems.map((problem) => invalidValue(path, name, problem));
    const known = name.includes('/') || STANDARD.has(name) || isHugePages(name.replace(/^requests\./, ''));
    return known ? [] : refuse(path, name, 'must be a standard resource type or fully qualified');
  }

  function validateForContainer(name: string, path: FieldPath): FieldError[] {
    const errors = validate(name, path);
    if (!name.includes('/')) {
      if (COMPUTE.includes(name) || isHugePages(name)) return errors;
      return [...errors, ...refuse(path, name, 'must be a standard resource for containers')];
    }
    if (isNative(name) || isExtended(name)) return errors;
    return [...errors, ...refuse(path, name, "doesn't follow extended resource name standard")];
  }

  function validateForQuota(name: string, path: FieldPath): FieldError[] {
    const errors = validate(name, path);
    if (name.includes('/') || QUOTA.has(name) || isHugePages(name.replace(/^requests\./, ''))) return errors;
    return [...errors, ...refuse(path, name, 'must be a standard resource for quota')];
  }

  return {
    isHugePages,
    isNative,
    isExtended,
    isCounted: (name) => COUNTED.includes(name) || isExtended(name),
    isOvercommitAllowed: (name) => isNative(name) && !isHugePages(name),
    validate,
    validateForContainer,
    validateForQuota,
  };
}
