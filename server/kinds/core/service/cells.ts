import type { Service, ServicePort } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { labelSelectorText } from '#schema/validation/label-selector.ts';
import type { Cell } from '../../../api/resource-definition.ts';
import { loadBalancerAddresses } from '../../networking/load-balancer-status.ts';

const NONE = '<none>';

/** The external addresses of the service. */
function externalAddress({ spec = {}, status }: Service): string {
  const external = (spec.externalIPs ?? []).join(',');
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const addresses = loadBalancerAddresses(status?.loadBalancer);
      return [addresses, external].filter((text) => text !== '').join(',') || '<pending>';
    }
    default:
      return external || NONE;
  }
}

function portText({ port, nodePort = 0, protocol = '' }: ServicePort): string {
  return `${port}${nodePort === 0 ? '' : `:${nodePort}`}/${protocol}`;
}

/** A row of a table of services. */
export function serviceCells(service: Service, now: number): Cell[] {
  const { metadata, spec = {} } = service;
  return [
    metadata.name ?? '',
    spec.type ?? '',
    spec.clusterIP || NONE,
    externalAddress(service),
    (spec.ports ?? []).map(portText).join(',') || NONE,
    age(metadata.creationTimestamp, now),
    labelSelectorText({ matchLabels: spec.selector ?? {} }) || NONE,
  ];
}
