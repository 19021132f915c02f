import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { type RuleTime, ruleTimes } from '../custom-resources/cel/rule-times.ts';

/** Measures how long rules of definitions take to compile and to run, until the signal aborts. */
export function ruleMetrics(metrics: MetricSet, signal: AbortSignal): void {
  const families = {
    compiled: metrics.histogram('apiserver_cel_compilation_duration_seconds').of({}),
    evaluated: metrics.histogram('apiserver_cel_evaluation_duration_seconds').of({}),
  };
  for (const stage of ['compiled', 'evaluated'] as const) {
    const { name } = ruleTimes[stage];
    const observe = (time: unknown): void => families[stage].observe((time as RuleTime).seconds);
    subscribe(name, observe);
    signal.addEventListener('abort', () => unsubscribe(name, observe), { once: true });
  }
}
