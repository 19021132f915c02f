import { channel } from 'node:diagnostics_channel';

/** How long it took to compile or run a rule, in seconds. */
export interface RuleTime {
  readonly seconds: number;
}

/** The channels on which rules report how long they took. Without subscribers nothing is measured. */
export const ruleTimes = {
  compiled: channel('custom-resources.rule.compiled'),
  evaluated: channel('custom-resources.rule.evaluated'),
};

/** Does some work on a rule, and records its duration. */
export function timedRule<T>(stage: keyof typeof ruleTimes, work: () => T): T {
  const times = ruleTimes[stage];
  if (!times.hasSubscribers) return work();
  const start = performance.now();
  try {
    return work();
  } finally {
    times.publish({ seconds: (performance.now() - start) / 1000 } satisfies RuleTime);
  }
}
