import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  fieldError,
  invalidValue,
  required,
} from '#base/errors/field-error.ts';
import type { PodSpec, ResourceClaim } from '#schema/generated/core.v1.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';

/** Validates the device claims of a pod, and which of them its containers use. */
export function validatePodClaims(spec: PodSpec, path: FieldPath): FieldError[] {
  const known = new KnownClaims(spec);
  const used = (['initContainers', 'containers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ resources }, i) =>
      validateUsedClaims(resources?.claims, known, path.child(list).index(i).child('resources').child('claims')),
    ),
  );
  return [...validateClaims(spec, path), ...used];
}

/** Validates claims. Each has a unique name, and refers to a claim or a template. */
function validateClaims({ resourceClaims }: PodSpec, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return (resourceClaims ?? []).flatMap((claim, i) => {
    const at = path.child('resourceClaims').index(i);
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(at.child('name')));
    else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else append(errors, validateText(name, dns1123Label, at.child('name')));
    names.add(name);
    const sources = [resourceClaimName, resourceClaimTemplateName].filter((source) => source != null).length;
    if (sources > 1) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalidValue(at, claim, detail));
    } else if (sources === 0) {
      const detail = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      errors.push(invalidValue(at, claim, detail));
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const source = claim[field];
      if (source != null) append(errors, validateText(source, dns1123Subdomain, at.child(field)));
    }
    return errors;
  });
}

/** The names of a pod's claims. One object serves all containers of a pod, so the names are listed only once. */
export class KnownClaims {
  readonly #names: ReadonlySet<string | undefined>;
  #list: string | undefined;

  constructor({ resourceClaims }: PodSpec) {
    this.#names = new Set((resourceClaims ?? []).map(({ name }) => name));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names in messages. */
  get list(): string {
    this.#list ??= this.#names.size === 0 ? ' which is empty' : `: ${[...this.#names].sort().join(', ')}`;
    return this.#list;
  }
}

/**
 * Validates the claims that a container uses. The pod must have them. The container may use each only once, as a whole
 * or by its requests.
 */
export function validateUsedClaims(
  claims: readonly ResourceClaim[] | null | undefined,
  known: KnownClaims,
  path: FieldPath,
): FieldError[] {
  const used = new Set<string>();
  const usedInPart = new Set<string>();
  return (claims ?? []).flatMap(({ name = '', request = '' }, i) => {
    const at = path.index(i);
    if (name === '') return [required(at)];
    const errors: FieldError[] = [];
    const key = request === '' ? name : `${name}/${request}`;
    if (used.has(name)) errors.push(duplicate(at, name));
    else {
      if (request !== '') append(errors, validateText(request, dns1123Label, at.child('request')));
      if (used.has(key)) errors.push(duplicate(at, key));
      else if (request === '' && usedInPart.has(name)) errors.push(duplicate(at, name));
    }
    used.add(key);
    if (request !== '') usedInPart.add(name);
    if (!known.has(name)) {
      const body = `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${known.list}`;
      errors.push(fieldError('FieldValueNotFound', at, body));
    }
    return errors;
  });
}
