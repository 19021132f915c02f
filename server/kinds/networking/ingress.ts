import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { Ingress } from '#schema/generated/networking.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { namesRelaxed, validateIngressSpec } from './ingress-spec.ts';
import { loadBalancerAddresses, validateLoadBalancerStatus } from './load-balancer-status.ts';
import { outerGroup } from './outer-group.ts';
import { RELAXED_NAMES } from './relaxed-names.ts';

const SHOWN_HOSTS = 3;

function hosts(object: Ingress): string {
  const rules = object.spec?.rules ?? [];
  const list: string[] = [];
  for (const { host = '' } of rules) {
    // Every rule after the last shown host counts as one more, and so does every earlier rule without a host.
    if (list.length === SHOWN_HOSTS) return `${list.join(',')} + ${rules.length - SHOWN_HOSTS} more...`;
    if (host !== '') list.push(host);
  }
  return list.length === 0 ? '*' : list.join(',');
}

/** The annotation that named the class of an ingress before the field existed. */
const CLASS = 'ingress.class';

/** Errors about the annotation together with the field. Releases before 1.27 accept only one of them. */
function validateClassAnnotation({ metadata, spec }: Ingress, release: Release, naming: Naming): FieldError[] {
  const key = naming.key(CLASS);
  const [annotation, name] = [metadata.annotations?.[key], spec?.ingressClassName];
  if (annotation === undefined || name === undefined) return [];
  const at = new FieldPath('annotations').child(key);
  if (!release.atLeast(27)) return [invalidValue(at, annotation, 'can not be set when the class field is also set')];
  if (annotation === name) return [];
  return [invalidValue(at, annotation, 'must match `ingressClassName` when both are specified')];
}

function classWarnings({ metadata, spec }: Ingress, naming: Naming): string[] {
  const key = naming.key(CLASS);
  if (metadata.annotations?.[key] === undefined || spec?.ingressClassName !== undefined) return [];
  return [`annotation "${key}" is deprecated, please use 'spec.ingressClassName' instead`];
}

/** The rules of ingresses, which are HTTP routes into the cluster. */
export const createIngressRules = (release: Release): KindRules<Ingress> =>
  defineKind('networking/ingresses', {
    ...outerGroup(release),
    validate: (object, { naming, gates }) => [
      ...validateIngressSpec(object.spec ?? {}, gates.enabled(RELAXED_NAMES)),
      ...validateClassAnnotation(object, release, naming),
    ],
    validateUpdate: (object, old, { naming, gates }) => [
      ...validateKindMetadata(object, { namespaced: true }, naming),
      ...validateIngressSpec(object.spec ?? {}, gates.enabled(RELAXED_NAMES) || namesRelaxed(old.spec ?? {})),
    ],
    ...(release.atLeast(27) && {
      warnings: (object: Ingress, old: Ingress | undefined, { naming }: WriteContext) =>
        old === undefined ? classWarnings(object, naming) : [],
    }),
    subresources: {
      status: {
        prepareForUpdate: keepSpec,
        validateUpdate: ({ status }, old, context) =>
          validateLoadBalancerStatus(
            status?.loadBalancer,
            old.status?.loadBalancer,
            new FieldPath('status.loadBalancer'),
            context,
          ),
      },
    },
    cells: (object, { now }) => [
      object.metadata.name ?? '',
      object.spec?.ingressClassName ?? '<none>',
      hosts(object),
      loadBalancerAddresses(object.status?.loadBalancer),
      (object.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
      age(object.metadata.creationTimestamp, now),
    ],
  });
