import type { Naming } from '#base/naming/naming.ts';
import type { IndexBy } from '#client/informer/informer.ts';
import type { Labels } from '#client/label-selector.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';

/** The labels and annotations of slices that name their service and their manager, in the words of a profile. */
export interface SliceWords {
  readonly triggerTime: string;
  readonly headless: string;
  /** The service of a slice, if this manager maintains the slice. */
  serviceOf(slice: EndpointSlice): string | undefined;
  /** The keys of services whose slices this manager maintains. */
  readonly byService: IndexBy<EndpointSlice>;
  /** Selects the slices of a service that this manager maintains. */
  selectorOf(service: string): string;
  /** Adds the labels that name the service and the manager of a slice. */
  labelsOf(service: string, others: Labels): Labels & Record<string, string>;
}

/** @param keeper the subdomain that names the manager in slices */
export function sliceWords(naming: Naming, keeper: string): SliceWords {
  const service = naming.key('service-name');
  const keptBy = naming.key('endpointslice/managed-by');
  const self = naming.domain(keeper);
  const serviceOf = ({ metadata }: EndpointSlice): string | undefined =>
    metadata.labels?.[keptBy] === self ? metadata.labels[service] : undefined;
  return {
    triggerTime: naming.key('endpoints/last-change-trigger-time'),
    headless: naming.key('service/headless'),
    serviceOf,
    byService: (slice) => {
      const name = serviceOf(slice);
      return name === undefined ? [] : [`${slice.metadata.namespace}/${name}`];
    },
    selectorOf: (name) => `${service}=${name},${keptBy}=${self}`,
    labelsOf: (name, others) => ({ ...others, [service]: name, [keptBy]: self }),
  };
}

/** The start of the name of a slice. */
export function sliceNamePrefix(service: string): string {
  return service.length < LONGEST_NAME - 10 ? `${service}-` : service;
}

const LONGEST_NAME = 253;
