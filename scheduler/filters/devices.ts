import type { Filter } from './filter.ts';

/** Refuses pods that claim devices, so that they wait. This scheduler does not allocate devices. */
export const devices: Filter = {
  name: 'DynamicResources',
  prepare({ pod }) {
    const claims = pod.spec?.resourceClaims ?? [];
    if (claims.length === 0) return undefined;
    const names = claims.map(({ name }) => JSON.stringify(name)).join(', ');
    return { blocked: `this scheduler allocates no devices, and the pod has resource claims: ${names}` };
  },
};
