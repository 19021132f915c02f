import { FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Ingress } from '#schema/generated/networking.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateIngressSpec } from './ingress-spec.ts';
import { loadBalancerAddresses, validateLoadBalancerStatus } from './load-balancer-status.ts';

const SHOWN_HOSTS = 3;

function hosts(object: Ingress): string {
  const rules = object.spec?.rules ?? [];
  const list: string[] = [];
  for (const { host = '' } of rules) {
    // every rule after the last host that is shown makes for more, and so does every rule without a host before it
    if (list.length === SHOWN_HOSTS) return `${list.join(',')} + ${rules.length - SHOWN_HOSTS} more...`;
    if (host !== '') list.push(host);
  }
  return list.length === 0 ? '*' : list.join(',');
}

/** HTTP routes into the cluster. Its class was once an annotation, which new objects may not carry beside the field. */
export const ingress = defineKind('networking/ingresses', {
  invalidGroup: 'extensions',
  validate(object, { naming }) {
    const errors = validateIngressSpec(object.spec ?? {});
    const key = naming.key('ingress.class');
    const annotation = object.metadata.annotations?.[key];
    if (annotation !== undefined && object.spec?.ingressClassName !== undefined) {
      errors.push(
        invalidValue(
          new FieldPath('annotations').child(key),
          annotation,
          'can not be set when the class field is also set',
        ),
      );
    }
    return errors;
  },
  validateUpdate: (object, _old, { naming }) => [
    ...validateKindMetadata(object, { namespaced: true }, naming),
    ...validateIngressSpec(object.spec ?? {}),
  ],
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: (object) =>
        validateLoadBalancerStatus(object.status?.loadBalancer, new FieldPath('status.loadBalancer')),
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
