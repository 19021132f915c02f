import type { HostPort } from '../state/pod-info.ts';
import { type Filter, refuse } from './filter.ts';

const ANY = '0.0.0.0';

function collide(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
}

/** Ports of the node that another pod has. */
export const nodePorts: Filter = {
  name: 'NodePorts',
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return (node) =>
      node.ports.some((taken) => ports.some((wanted) => collide(wanted, taken)))
        ? refuse("node(s) didn't have free ports for the requested pod ports")
        : undefined;
  },
};
