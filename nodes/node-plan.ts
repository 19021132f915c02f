import { ConfigError } from '#base/errors/config-error.ts';
import type { FlagsOf } from '#program/flags/parse-flag-table.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { NodesFlag } from './flag-table.ts';

export type NodesFlags = FlagsOf<NodesFlag>;

/** One node, as the flags describe it. */
export interface NodePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
  /** The address at which its server listens. */
  readonly ip: string;
  /** 0 means that it has no server. */
  readonly port: number;
  /** The release that the node reports. */
  readonly version: string;
  /** The number of the first address of its pods. */
  readonly firstPodIp: number;
}

/** The number of addresses for pods of each node. */
export const POD_IPS = 256;
const MOST_NODES = 5_000;

/**
 * The nodes that flags describe.
 *
 * @param place the values that all nodes share
 * @throws ConfigError
 */
export function planNodes(flags: NodesFlags, place: Pick<NodePlan, 'ip' | 'port' | 'version'>): readonly NodePlan[] {
  const count = flags.get('nodes');
  if (count < 1 || count > MOST_NODES)
    throw new ConfigError(`flag --nodes must be from 1 to ${MOST_NODES}, not ${count}`);
  const capacity = Object.fromEntries(flags.get('capacity'));
  for (const [name, text] of Object.entries(capacity)) readAmount(name, text);
  const prefix = flags.get('name-prefix');
  const first = readIp(flags.get('pod-network'));
  const zones = flags.get('zones');
  const { naming } = flags;
  const common = Object.fromEntries(flags.get('node-labels'));
  return Array.from({ length: count }, (_, i) => {
    const name = `${prefix}${i}`;
    const zone = zones.length === 0 ? {} : { [naming.key('topology/zone')]: zones[i % zones.length]! };
    const own = {
      [naming.key('hostname')]: name,
      [naming.key('os')]: 'linux',
      [naming.key('arch')]: 'amd64',
      type: 'simulated',
    };
    return { ...place, name, capacity, labels: { ...common, ...own, ...zone }, firstPodIp: first + i * POD_IPS };
  });
}

function readAmount(name: string, text: string): void {
  try {
    parseQuantity(text);
  } catch (error) {
    throw new ConfigError(`flag --capacity: ${name}=${text}: ${(error as Error).message}`);
  }
}

function readIp(text: string): number {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some(Number.isNaN))
    throw new ConfigError(`flag --pod-network must be an address of IP version 4, not ${text}`);
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** The text of an address of IP version 4. */
export function ipText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
