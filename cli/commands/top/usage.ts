import { ApiError } from '#client/errors.ts';
import { parseJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { labelSelectorFlag } from '../../resources/flags.ts';

export const topFlags: readonly Flag[] = [
  { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
  labelSelectorFlag,
  { name: 'show-swap', type: 'bool', help: 'Show also the use of swap memory' },
  { name: 'sort-by', type: 'string', help: 'Sort by cpu or memory, highest first' },
  { name: 'use-protocol-buffers', type: 'bool', default: true, help: 'Accepted for compatibility' },
];

/**
 * The used amounts. Processor time is in billionths of a core. Total and swapped memory are in billionths of a byte.
 */
export interface Usage {
  readonly cpu: bigint;
  readonly memory: bigint;
  readonly swap: bigint;
}

/** Quantities in the form of metrics and nodes. */
export type Amounts = Readonly<Record<string, string>> | undefined;

export function usageOf(amounts: Amounts): Usage {
  const nanos = (name: string) => parseQuantity(amounts?.[name] ?? '0').nanos;
  return { cpu: nanos('cpu'), memory: nanos('memory'), swap: nanos('swap') };
}

export function sumOf(all: readonly Usage[]): Usage {
  return all.reduce(
    (a, b) => ({ cpu: a.cpu + b.cpu, memory: a.memory + b.memory, swap: a.swap + b.swap }),
    usageOf({}),
  );
}

/** The text of processor time, such as `250m`. */
export function cores({ cpu }: Usage): string {
  return `${ceiling(cpu, 1_000_000n)}m`;
}

/** The text of memory, such as `64Mi`, from billionths of a byte. */
export function bytes(billionths: bigint): string {
  return `${ceiling(billionths, 1_000_000_000n) / (1n << 20n)}Mi`;
}

function ceiling(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}

/** The share of `all` that is used, as a whole percentage. */
export function percent(used: bigint, all: bigint, unit: bigint): string {
  return `${Math.trunc((Number(ceiling(used, unit)) / Number(ceiling(all, unit))) * 100)}%`;
}

/** Sorts items by `--sort-by`, the highest use first. Without the flag, sorts by `text`. */
export function inOrder<T>(
  items: readonly T[],
  sortBy: string,
  usage: (one: T) => Usage,
  text: (one: T) => string,
): T[] {
  const by = (one: T): bigint => (sortBy === 'cpu' ? usage(one).cpu : usage(one).memory);
  return [...items].sort((a, b) => {
    if (sortBy !== '') return by(a) === by(b) ? 0 : by(a) > by(b) ? -1 : 1;
    return text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;
  });
}

/** @throws CommandError for a wrong value */
export function checkSortBy({ flags }: Invocation): string {
  const sortBy = flags.text('sort-by');
  if (!['', 'cpu', 'memory'].includes(sortBy)) throw new CommandError('--sort-by accepts only cpu or memory');
  return sortBy;
}

/**
 * The metrics of the extension server.
 * @throws CommandError if there is no such server
 */
export async function readMetrics(
  { session }: Invocation,
  where: {
    readonly plural: 'nodes' | 'pods';
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
  },
  query: Readonly<Record<string, string>>,
): Promise<ApiObject[]> {
  const client = await session.client();
  const group = client.naming.group('metrics');
  const served = (await session.discovered()).versions.some(
    (each) => each.group === group && each.version === 'v1beta1',
  );
  if (!served && !(await session.rediscovered()).versions.some((each) => each.group === group))
    throw new CommandError('Metrics API not available');
  const scope = where.namespace === undefined ? '' : `/namespaces/${pathSegment(where.namespace, 'namespace')}`;
  const name = where.name === undefined ? '' : `/${pathSegment(where.name)}`;
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === '' ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  const path = `/apis/${group}/v1beta1${scope}/${where.plural}${name}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  const answer = await client.call({ method: 'GET', path, headers: { accept: 'application/json' } });
  const body = parseJson(answer.text) as unknown as ApiObject;
  if (typeof body !== 'object' || body === null) throw new ApiError(500, { kind: 'Status', message: 'no metrics' });
  return name === '' ? ((body['items'] ?? []) as ApiObject[]) : [body];
}

/** Lines whose cells are aligned in columns. The last cell is also padded. */
export function table(lines: readonly (readonly string[])[]): string {
  const writer = new TabWriter();
  for (const line of lines) writer.line([...line, '']);
  return writer.flush();
}
