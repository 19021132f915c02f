import { type Filter, refuseFinally } from './filter.ts';

/** Pods that name their node. */
export const nodeName: Filter = {
  name: 'NodeName',
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName ?? '';
    if (wanted === '') return undefined;
    return ({ name }) => (name === wanted ? undefined : refuseFinally("node(s) didn't match the requested node name"));
  },
};
