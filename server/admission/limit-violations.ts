import { table, tableOf } from '#base/collections/own-properties.ts';
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

/** Errors of amounts below a lower bound. A request must be present. */
function belowMin({ type, min }: LimitRangeItem, { requests, limits }: Asked): string[] {
  return bounds(min).flatMap(([name, bound]) => {
    const rule = `minimum ${name} usage per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined) return [`${rule}.  No request is specified`];
    if (request.compare(bound) < 0) return [`${rule}, but request is ${request}`];
    return limit !== undefined && limit.compare(bound) < 0 ? [`${rule}, but limit is ${limit}`] : [];
  });
}

/** Errors of amounts above an upper bound. A limit must be present. */
function aboveMax({ type, max }: LimitRangeItem, { requests, limits }: Asked): string[] {
  return bounds(max).flatMap(([name, bound]) => {
    const rule = `maximum ${name} usage per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (limit === undefined) return [`${rule}.  No limit is specified`];
    if (limit.compare(bound) > 0) return [`${rule}, but limit is ${limit}`];
    return request !== undefined && request.compare(bound) > 0 ? [`${rule}, but request is ${request}`] : [];
  });
}

/** Errors of requests above an upper bound, for objects whose limits have no meaning. */
function requestsAboveMax({ type, max }: LimitRangeItem, { requests }: Asked): string[] {
  return bounds(max).flatMap(([name, bound]) => {
    const rule = `maximum ${name} usage per ${type} is ${bound}`;
    const request = requests[name];
    if (request === undefined) return [`${rule}.  No request is specified`];
    return request.compare(bound) > 0 ? [`${rule}, but request is ${request}`] : [];
  });
}

function aboveRatio({ type, maxLimitRequestRatio }: LimitRangeItem, { requests, limits }: Asked): string[] {
  return bounds(maxLimitRequestRatio).flatMap(([name, bound]) => {
    const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined || request.isZero) return [`${rule}, but no request is specified or request is 0`];
    if (limit === undefined || limit.isZero) return [`${rule}, but no limit is specified or limit is 0`];
    // The comparison is exact. The ratio in the message is rounded.
    if (limit.nanos * 1_000_000_000n <= bound.nanos * request.nanos) return [];
    return [`${rule}, but provided ratio is ${(Number(limit.nanos) / Number(request.nanos)).toFixed(6)}`];
  });
}

function ofOne(item: LimitRangeItem, asked: Asked): string[] {
  return [...belowMin(item, asked), ...aboveMax(item, asked), ...aboveRatio(item, asked)];
}

/**
 * The sum over containers, or the amount of one init container if that is more. There is no sum if some containers do
 * not set the amount.
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

/** How pods and claims break a limit range: texts as clients know them, empty when they do not. */
export const limitViolations = {
  ofPod(spec: PodSpec, range: LimitRange): string[] {
    return (range.spec?.limits ?? []).flatMap((item) => {
      if (item.type === 'Pod') {
        return ofOne(item, { requests: podTotal(spec, 'requests'), limits: podTotal(spec, 'limits') });
      }
      if (item.type !== 'Container') return [];
      return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
        ofOne(item, { requests: amounts(resources?.requests), limits: amounts(resources?.limits) }),
      );
    });
  },

  ofClaim(spec: NonNullable<PersistentVolumeClaim['spec']>, range: LimitRange): string[] {
    const asked = { requests: amounts(spec.resources?.requests), limits: table<Quantity>() };
    return (range.spec?.limits ?? []).flatMap((item) =>
      item.type === 'PersistentVolumeClaim' ? [...belowMin(item, asked), ...requestsAboveMax(item, asked)] : [],
    );
  },
};
