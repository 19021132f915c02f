import { type Filter, refuse, refuseFinally } from './filter.ts';

/** Refuses nodes without space for the requests of a pod. */
export const resourcesFit: Filter = {
  name: 'NodeResourcesFit',
  prepare({ requests }) {
    const wanted = [...requests].filter(([, amount]) => amount > 0);
    return ({ allocatable, requested, pods }) => {
      const most = allocatable.get('pods') ?? 0;
      const short = pods.size + 1 > most ? ['Too many pods'] : [];
      let isFinal = most < 1;
      for (const [name, amount] of wanted) {
        const room = allocatable.get(name) ?? 0;
        if (amount <= room - (requested.get(name) ?? 0)) continue;
        short.push(`Insufficient ${name}`);
        isFinal ||= amount > room;
      }
      if (short.length === 0) return undefined;
      return isFinal ? refuseFinally(...short) : refuse(...short);
    };
  },
};
