import { devices } from './devices.ts';
import type { Filter } from './filter.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { podAffinity } from './pod-affinity.ts';
import { resourcesFit } from './resources-fit.ts';
import { taintToleration } from './taint-toleration.ts';
import { topologySpread } from './topology-spread.ts';
import { volumeLimits } from './volume-limits.ts';
import { volumeZone } from './volume-zone.ts';
import { volumeRestrictions, volumes } from './volumes.ts';

/** All filters, in their order of use: the first that refuses a node gives the reason. */
export const filters: readonly Filter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  volumeRestrictions,
  volumeLimits,
  volumes,
  volumeZone,
  topologySpread,
  podAffinity,
  devices,
];
