import type { Violation } from './history.ts';
import type { Truth } from './truth.ts';

/** Checks that each change names the earlier revision of its key. This check finds gaps in the record. */
export function checkTruth(truth: Truth): Violation[] {
  const violations: Violation[] = [];
  let revision = 0;
  for (const change of truth.changes) {
    if (change.revision < revision)
      violations.push({ law: 'truth', message: `revision ${change.revision} comes after ${revision}` });
    revision = change.revision;
  }
  for (const key of truth.keys) {
    let before = 0;
    for (const change of truth.of(key)) {
      if (change.previous !== before)
        violations.push({
          law: 'truth',
          message: `${key} was at ${change.previous} before revision ${change.revision}, but the record has ${before}`,
          evidence: truth.evidence(key, change.revision),
        });
      before = change.value === undefined ? 0 : change.revision;
    }
  }
  return violations;
}
