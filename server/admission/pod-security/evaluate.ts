import type { Naming } from '#base/naming/naming.ts';
import { baselineControls } from './baseline-controls.ts';
import type { Check, Control, PodToEvaluate, Violation } from './controls.ts';
import type { Standard } from './policy.ts';
import { restrictedControls } from './restricted-controls.ts';

/** Evaluates a pod by a standard. */
export type Evaluate = (standard: Standard, pod: PodToEvaluate) => readonly Violation[];

function formOf({ forms }: Control, version: number): Check | undefined {
  return forms.findLast(({ since }) => since <= version)?.check;
}

/** The checks of a level in a version. A stricter check replaces its weaker form. */
function checksOf(level: string, version: number, baseline: readonly Control[]): Check[] {
  if (level === 'privileged') return [];
  const strict = level === 'restricted' ? restrictedControls.filter((c) => formOf(c, version) !== undefined) : [];
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  return [...baseline.filter(({ id }) => !replaced.has(id)), ...strict].flatMap((c) => formOf(c, version) ?? []);
}

/** Makes the evaluator for all levels and versions. */
export function createEvaluate(naming: Naming): Evaluate {
  const baseline = baselineControls(naming);
  const known = new Map<string, readonly Check[]>();
  return ({ level, version }, pod) => {
    // A version after all known forms uses the latest form.
    const minor = Math.min(version, 99);
    const key = `${level}/${minor}`;
    let checks = known.get(key);
    if (checks === undefined) known.set(key, (checks = checksOf(level, minor, baseline)));
    return checks.flatMap((check) => check(pod) ?? []);
  };
}

/** `host namespaces (hostNetwork=true), privileged (...)`. */
export function shownViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
