import type { Service } from '#schema/generated/core.v1.ts';
import type { IpFamily } from '#schema/validation/ip.ts';
import type { Allocation, AllocationContext } from '../../../api/resource-definition.ts';

/** The networks and ports of services, for rules. */
export interface ServiceNetworks {
  /** The families with networks. The first is the default. */
  readonly families: readonly IpFamily[];
  readonly defaultFamily: IpFamily;
  has(family: string): family is IpFamily;
  /** The error of a requested node port; undefined if it can be allocated. */
  nodePortProblem(port: number): string | undefined;
  /** The error of a requested cluster IP; undefined if it can be allocated. */
  clusterIpProblem(text: string, family: IpFamily): string | undefined;
}

/** Gives services their addresses and ports: see `KindRules.allocate`. */
export type AllocateService = (
  service: Service | undefined,
  old: Service | undefined,
  context: AllocationContext,
) => Promise<Allocation>;
