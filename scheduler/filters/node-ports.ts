import { hostPortsCollide } from '#client/host-ports.ts';
import { type Filter, refuse } from './filter.ts';

/** Refuses nodes on which another pod uses a port of this pod. */
export const nodePorts: Filter = {
  name: 'NodePorts',
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return (node) =>
      node.ports.some((taken) => ports.some((wanted) => hostPortsCollide(wanted, taken)))
        ? refuse("node(s) didn't have free ports for the requested pod ports")
        : undefined;
  },
};
