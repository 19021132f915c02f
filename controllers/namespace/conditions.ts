import type { Naming } from '#base/naming/naming.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import type { Left } from './remove-content.ts';

type Condition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number];

/** The result for one condition: whether the problem of its type exists. */
interface Finding {
  readonly type: string;
  readonly is: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a namespace with content that could not be removed yet. Unchanged conditions keep their time. */
export function conditionsOf(left: Left, before: readonly Condition[], naming: Naming, now: Date): Condition[] {
  const own = findings(left, naming).map(({ type, is, reason, message }): Condition => {
    const status = is ? 'True' : 'False';
    const known = before.find((condition) => condition.type === type);
    const same = known?.status === status;
    const time = `${now.toISOString().slice(0, 19)}Z`;
    return { type, status, reason, message, lastTransitionTime: same ? (known.lastTransitionTime ?? time) : time };
  });
  const others = before.filter(({ type }) => !own.some((condition) => condition.type === type));
  return [...others, ...own];
}

function findings({ undiscovered, failures, remaining, finalizers }: Left, naming: Naming): Finding[] {
  const list = (counts: ReadonlyMap<string, number>, words: string) =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${words} ${count} resource instances`)
      .join(', ');
  const count = (word: string, errors: readonly string[]) => `${errors.length} ${word}: ${errors.join('; ')}`;
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      is: undiscovered.length > 0,
      ...(undiscovered.length > 0
        ? { reason: 'DiscoveryFailed', message: `Discovery failed for some groups, ${count('failing', undiscovered)}` }
        : { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' }),
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      is: false,
      reason: 'ParsedGroupVersions',
      message: `All legacy ${naming.prefixed('types').replace('-', ' ')} successfully parsed`,
    },
    {
      type: 'NamespaceDeletionContentFailure',
      is: failures.length > 0,
      ...(failures.length > 0
        ? {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${count('remaining', failures)}`,
          }
        : {
            reason: 'ContentDeleted',
            message: 'All content successfully deleted, may be waiting on finalization',
          }),
    },
    {
      type: 'NamespaceContentRemaining',
      is: remaining.size > 0,
      ...(remaining.size > 0
        ? { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list(remaining, 'has')}` }
        : { reason: 'ContentRemoved', message: 'All content successfully removed' }),
    },
    {
      type: 'NamespaceFinalizersRemaining',
      is: finalizers.size > 0,
      ...(finalizers.size > 0
        ? {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${list(finalizers, 'in')}`,
          }
        : { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' }),
    },
  ];
}
