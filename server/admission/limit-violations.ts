import { firstOf } from '#base/collections/first-of.ts';
import { table, tableOf } from '#base/collections/own-properties.ts';
import { MOST_ERRORS } from '#base/errors/status-error.ts';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, PodSpec } from '#schema/generated/core.v1.ts';
import { parseQuantity, type Quantity } from '#schema/values/quantity.ts';

/** The amounts of a container, a whole pod or a claim. */
interface Asked {
  readonly requests: Readonly<Record<string, Quantity>>;
  readonly limits: Readonly<Record<string, Quantity>>;
}

type List = Readonly<Record<string, string>> | null | undefined;

function amounts(list: List): Record<string, Quantity> {
  return tableOf(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function bounds(list: List): [name: string, bound: Quantity][] {
  return Object.entries(amounts(list)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The bounds of one item, read and sorted once for all containers. */
interface Bounds {
  readonly type: string;
  readonly min: readonly [name: string, bound: Quantity][];
  readonly max: readonly [name: string, bound: Quantity][];
  readonly ratio: readonly [name: string, bound: Quantity][];
}

function boundsOf({ type, min, max, maxLimitRequestRatio }: LimitRangeItem): Bounds {
  return { type, min: bounds(min), max: bounds(max), ratio: bounds(maxLimitRequestRatio) };
}

/** Errors of amounts below a lower bound. A request must be present. */
function* belowMin({ type, min }: Bounds, { requests, limits }: Asked): Generator<string> {
  for (const [name, bound] of min) {
    const rule = `minimum ${name} usage per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined) yield `${rule}.  No request is specified`;
    else if (request.compare(bound) < 0) yield `${rule}, but request is ${request}`;
    else if (limit !== undefined && limit.compare(bound) < 0) yield `${rule}, but limit is ${limit}`;
  }
}

/** Errors of amounts above an upper bound. A limit must be present. */
function* aboveMax({ type, max }: Bounds, { requests, limits }: Asked): Generator<string> {
  for (const [name, bound] of max) {
    const rule = `maximum ${name} usage per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (limit === undefined) yield `${rule}.  No limit is specified`;
    else if (limit.compare(bound) > 0) yield `${rule}, but limit is ${limit}`;
    else if (request !== undefined && request.compare(bound) > 0) yield `${rule}, but request is ${request}`;
  }
}

/** Errors of requests above an upper bound, for objects whose limits have no meaning. */
function* requestsAboveMax({ type, max }: Bounds, { requests }: Asked): Generator<string> {
  for (const [name, bound] of max) {
    const rule = `maximum ${name} usage per ${type} is ${bound}`;
    const request = requests[name];
    if (request === undefined) yield `${rule}.  No request is specified`;
    else if (request.compare(bound) > 0) yield `${rule}, but request is ${request}`;
  }
}

function* aboveRatio({ type, ratio }: Bounds, { requests, limits }: Asked): Generator<string> {
  for (const [name, bound] of ratio) {
    const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined || request.isZero) yield `${rule}, but no request is specified or request is 0`;
    else if (limit === undefined || limit.isZero) yield `${rule}, but no limit is specified or limit is 0`;
    // The comparison is exact. The ratio in the message is rounded.
    else if (limit.nanos * 1_000_000_000n > bound.nanos * request.nanos)
      yield `${rule}, but provided ratio is ${(Number(limit.nanos) / Number(request.nanos)).toFixed(6)}`;
  }
}

function* ofOne(item: Bounds, asked: Asked): Generator<string> {
  yield* belowMin(item, asked);
  yield* aboveMax(item, asked);
  yield* aboveRatio(item, asked);
}

/**
 * The sum over containers, or the amount of one init container if that is larger. If some containers do not set the
 * amount, there is no sum.
 */
function podTotal(spec: PodSpec, field: 'requests' | 'limits'): Record<string, Quantity> {
  const total: Record<string, Quantity> = table();
  const [first = table<Quantity>(), ...others] = (spec.containers ?? []).map(({ resources }) =>
    amounts(resources?.[field]),
  );
  for (const [name, amount] of Object.entries(first)) {
    if (others.some((other) => other[name] === undefined)) continue;
    total[name] = others.reduce((sum, other) => sum.add(other[name]!), amount);
  }
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, amount] of Object.entries(amounts(resources?.[field]))) {
      if (total[name] === undefined || total[name].compare(amount) < 0) total[name] = amount;
    }
  }
  return total;
}

function* violationsOfPod(spec: PodSpec, range: LimitRange): Generator<string> {
  for (const item of range.spec?.limits ?? []) {
    if (item.type === 'Pod') {
      yield* ofOne(boundsOf(item), { requests: podTotal(spec, 'requests'), limits: podTotal(spec, 'limits') });
    } else if (item.type === 'Container') {
      const own = boundsOf(item);
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
        yield* ofOne(own, { requests: amounts(resources?.requests), limits: amounts(resources?.limits) });
    }
  }
}

function* violationsOfClaim(spec: NonNullable<PersistentVolumeClaim['spec']>, range: LimitRange): Generator<string> {
  const asked = { requests: amounts(spec.resources?.requests), limits: table<Quantity>() };
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'PersistentVolumeClaim') continue;
    const own = boundsOf(item);
    yield* belowMin(own, asked);
    yield* requestsAboveMax(own, asked);
  }
}

/**
 * How pods and claims violate a limit range, as texts for clients; empty if they do not. It finds only the first
 * violations, because each container may lack each of the resources with a bound.
 */
export const limitViolations = {
  ofPod: (spec: PodSpec, range: LimitRange): string[] => firstOf(violationsOfPod(spec, range), MOST_ERRORS),

  ofClaim: (spec: NonNullable<PersistentVolumeClaim['spec']>, range: LimitRange): string[] =>
    firstOf(violationsOfClaim(spec, range), MOST_ERRORS),
};
