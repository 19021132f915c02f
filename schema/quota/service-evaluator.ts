import { table } from '#base/collections/own-properties.ts';
import type { Service } from '../generated/core.v1.ts';
import { Quantity } from '../values/quantity.ts';
import { countEvaluator, type Evaluator, ONE } from './evaluator.ts';

const COUNT = 'count/services';
const SERVICES = 'services';
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';

/** Evaluates services: their number, their node ports and their load balancers. */
export function serviceEvaluator(): Evaluator {
  return {
    ...countEvaluator(COUNT, SERVICES, NODE_PORTS, LOAD_BALANCERS),
    operations: ['CREATE', 'UPDATE'],
    usage(object) {
      const { type, ports = [], allocateLoadBalancerNodePorts } = (object as Service).spec ?? {};
      const usage: Record<string, Quantity> = table({ [COUNT]: ONE, [SERVICES]: ONE });
      if (type === 'LoadBalancer') usage[LOAD_BALANCERS] = ONE;
      if (type === 'LoadBalancer' || type === 'NodePort') {
        const free = type === 'LoadBalancer' && allocateLoadBalancerNodePorts === false;
        const counted = free ? ports.filter((port) => (port.nodePort ?? 0) !== 0) : ports;
        usage[NODE_PORTS] = Quantity.of(counted.length);
      }
      return usage;
    },
  };
}
