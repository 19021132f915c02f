import { type Filter, refuseFinally } from './filter.ts';

/** Refuses all nodes except the one that the pod names. */
export const nodeName: Filter = {
  name: 'NodeName',
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName ?? '';
    if (wanted === '') return undefined;
    return ({ name }) => (name === wanted ? undefined : refuseFinally("node(s) didn't match the requested node name"));
  },
};
