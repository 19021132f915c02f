import type { Operation, Violation } from './checker/history.ts';
import { laws } from './checker/history.ts';
import type { Fault } from './nemesis.ts';
import type { RunResult } from './run.ts';

/** The smallest numbers per minute. A run with smaller numbers proves nothing. */
const leastPerMinute: Readonly<Record<string, number>> = {
  'writes done': 300,
  'writes removed': 20,
  'writes changed': 5,
  'reads recent': 200,
  'lists recent': 30,
  'lists exact': 3,
  'continued pages': 20,
  watches: 30,
  'watch events': 300,
  'definitions: make': 4,
  'definitions: change': 15,
  'definitions: remove': 2,
  'custom objects: 201': 30,
  'keys changed': 1,
};

/** The events that occurred too rarely, so the run proves nothing. */
export function shortcomings({ counts }: RunResult, seconds: number): string[] {
  return Object.entries(leastPerMinute)
    .map(([what, least]) => ({ what, least: Math.floor((least * seconds) / 60), count: counts.get(what) ?? 0 }))
    .filter(({ least, count }) => count < least)
    .map(({ what, least, count }) => `${what}: ${count}, at least ${least} were expected`);
}

/** The numbers of a run, in one line each. */
export function summary({ counts, history, faults }: RunResult): string {
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `  ${count}\t${what}`);
  const kinds = new Map<string, number>();
  for (const { name } of faults) {
    const kind = name.replaceAll(/\d+/g, '…');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const harm = [...kinds].sort().map(([kind, count]) => `  ${count}\t${kind}`);
  return [`${history.truth.length} changes in etcd`, ...lines, `${faults.length} faults`, ...harm].join('\n');
}

/**
 * A violation as text. It contains the law, the observation, the state in etcd, and the faults that were active at that
 * time.
 */
export function describeViolation(violation: Violation, faults: readonly Fault[]): string {
  const { law, message, operation, evidence } = violation;
  const lines = [`VIOLATION: ${laws[law]}`, `  ${message}`];
  if (operation !== undefined) {
    lines.push(
      `  by ${operation.by}, from ${time(operation.called)} to ${time(operation.returned)}: ${brief(operation)}`,
    );
    const near = faults.filter(({ from, until }) => from < operation.returned && until > operation.called - 5000);
    for (const { name, from, until } of near) lines.push(`  from ${time(from)} to ${time(until)}: ${name}`);
  }
  for (const { revision, key, previous, value } of evidence ?? [])
    lines.push(
      `  etcd ${revision}: ${key} ${value ? `is ${value.id} (${value.color})` : 'is removed'}, before ${previous}`,
    );
  return lines.join('\n');
}

function time(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}

/** The operation, without the parts that would fill the screen. */
function brief(operation: Operation): string {
  return JSON.stringify(operation, (key, value: unknown) =>
    Array.isArray(value) && value.length > 8 && key !== '' ? [...value.slice(0, 4), '…', ...value.slice(-4)] : value,
  ).slice(0, 2000);
}
