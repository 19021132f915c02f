import type { Change, Violation } from '../checker/history.ts';

/** The prefixes of ids. `edition` is for a definition and `made` for an object. The edition of the schema follows. */
const ID = /^(?:edition|made)-(\d+)(?:-|$)/;

/** The edition that a definition has, or for which an object was made. */
function editionOf({ value }: Change): number {
  return Number(ID.exec(value?.id ?? '')?.[1] ?? Number.NaN);
}

/**
 * Checks custom kinds against the changes that etcd recorded. The schema of each edition accepts only objects of that
 * edition. At the revision of every object, its definition must therefore exist in the same edition. A definition must
 * not be deleted before all of its objects. `isDefinition` and `definitionOf` classify keys.
 */
export function checkDefinitions(
  changes: readonly Change[],
  { isDefinition, definitionOf }: { isDefinition(key: string): boolean; definitionOf(key: string): string },
): Violation[] {
  const violations: Violation[] = [];
  const defined = new Map<string, Change>();
  const objects = new Map<string, Set<string>>();
  for (const change of changes) {
    const { key, revision, value } = change;
    const report = (law: Violation['law'], message: string, ...evidence: (Change | undefined)[]): void => {
      violations.push({ law, message, evidence: [...evidence.filter((one) => one !== undefined), change] });
    };
    if (isDefinition(key)) {
      const left = objects.get(key)?.size ?? 0;
      if (value !== undefined) defined.set(key, change);
      else {
        if (left > 0)
          report('outlived', `${key} is removed at ${revision}, before ${left} of its objects`, defined.get(key));
        defined.delete(key);
      }
      continue;
    }
    const definition = definitionOf(key);
    const there = objects.get(definition) ?? new Set<string>();
    objects.set(definition, there);
    if (value === undefined) {
      there.delete(key);
      continue;
    }
    there.add(key);
    const by = defined.get(definition);
    if (by === undefined) report('outlived', `${key} is made at ${revision}, when ${definition} is not there`);
    else if (editionOf(by) !== editionOf(change))
      report(
        'schema',
        `${key} is made at ${revision} for edition ${editionOf(change)}, when ${definition} has ${editionOf(by)}`,
        by,
      );
  }
  return violations;
}
