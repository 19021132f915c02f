import type { Change, Operation, Violation, WriteOperation } from './history.ts';
import type { Truth } from './truth.ts';

/**
 * Checks each acknowledged write. The record must contain it once, and it must have replaced the version that it named.
 * The record must not contain a refused write, or a change that no client requested.
 */
export function checkWrites(truth: Truth, operations: readonly Operation[]): Violation[] {
  const writes = operations.filter((operation) => operation.kind === 'write');
  return [...checkPuts(truth, writes), ...checkDeletions(truth, writes)];
}

function checkPuts(truth: Truth, writes: readonly WriteOperation[]): Violation[] {
  const violations: Violation[] = [];
  const asked = new Map<string, WriteOperation>();
  for (const write of writes) {
    if (write.verb === 'delete') continue;
    asked.set(write.id, write);
    const { key, outcome, expected } = write;
    const [first, ...others] = truth.withId(write.id);
    const report = (law: Violation['law'], message: string) =>
      violations.push({
        law,
        message: `${write.verb} of ${key}: ${message}`,
        operation: write,
        evidence: truth.evidence(key, first?.revision ?? Number.MAX_SAFE_INTEGER),
      });
    if (others.length > 0)
      report('twice', `done at revisions ${[first, ...others].map((change) => change?.revision).join(' and ')}`);
    if (outcome.kind === 'done' && first?.revision !== outcome.revision)
      report('lost', `acknowledged at ${outcome.revision}, in etcd ${first ? `at ${first.revision}` : 'not at all'}`);
    if (first === undefined) continue;
    if (outcome.kind !== 'done' && outcome.kind !== 'unknown')
      report('refused', `answered ${JSON.stringify(outcome)}, but done at ${first.revision}`);
    if (first.key !== key) report('invented', `stored at ${first.key}`);
    const replaced = write.verb === 'create' ? 0 : expected;
    if (replaced !== undefined && first.previous !== replaced)
      report('compared', `replaced revision ${first.previous} instead of ${replaced}`);
    if (write.verb !== 'create' && first.previous === 0) report('compared', 'made an object that was not there');
  }
  for (const change of truth.changes) {
    if (change.value === undefined || asked.has(change.value.id)) continue;
    const message = `revision ${change.revision} of ${change.key} holds ${change.value.id}, which no client wrote`;
    violations.push({ law: 'invented', message, evidence: truth.evidence(change.key, change.revision) });
  }
  return violations;
}

interface Deletion extends Change {
  /** The uid of the deleted object. */
  readonly uid: string;
}

function checkDeletions(truth: Truth, writes: readonly WriteOperation[]): Violation[] {
  const violations: Violation[] = [];
  const open = new Map<string, Deletion>();
  for (const key of truth.keys) {
    let uid = '';
    for (const change of truth.of(key)) {
      if (change.value === undefined) open.set(uid, { ...change, uid });
      else uid = change.value.uid;
    }
  }
  const done = new Map<string, Deletion>();
  const unknown = new Map<string, WriteOperation[]>();
  for (const write of writes) {
    const { key, outcome, expected } = write;
    if (write.verb !== 'delete') continue;
    if (outcome.kind === 'unknown') unknown.set(key, [...(unknown.get(key) ?? []), write]);
    if (outcome.kind !== 'removed') continue;
    const deletion = open.get(outcome.uid);
    const report = (law: Violation['law'], message: string) =>
      violations.push({
        law,
        message: `deletion of ${key}: ${message}`,
        operation: write,
        evidence: truth.evidence(key, (deletion ?? done.get(outcome.uid))?.revision ?? Number.MAX_SAFE_INTEGER),
      });
    if (deletion === undefined || deletion.key !== key) {
      if (done.has(outcome.uid)) report('twice', `the removal of ${outcome.uid} was acknowledged before`);
      else report('lost', `${outcome.uid} was not removed`);
      continue;
    }
    open.delete(outcome.uid);
    done.set(outcome.uid, deletion);
    if (expected !== undefined && deletion.previous !== expected)
      report('compared', `removed revision ${deletion.previous} instead of ${expected}`);
  }
  for (const deletion of [...open.values()].sort((a, b) => a.revision - b.revision)) {
    if (deletion.leased || explain(unknown.get(deletion.key) ?? [], deletion)) continue;
    const message = `revision ${deletion.revision} removes ${deletion.key}, which no client asked for`;
    violations.push({ law: 'invented', message, evidence: truth.evidence(deletion.key, deletion.revision) });
  }
  return violations;
}

/** Removes from the list a deletion with an unknown outcome that can explain this deletion. */
function explain(unknown: WriteOperation[], deletion: Deletion): boolean {
  const exact = unknown.findIndex(({ expected }) => expected === deletion.previous);
  const index = exact >= 0 ? exact : unknown.findIndex(({ expected }) => expected === undefined);
  if (index >= 0) unknown.splice(index, 1);
  return index >= 0;
}
