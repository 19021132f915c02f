import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { found } from '../../resources/found.ts';
import { type Selection, select } from '../../resources/selection.ts';
import { versionAt } from '../get/version-at.ts';
import { diffOf } from './folders.ts';
import { masked } from './mask.ts';

/** An object at two moments. Undefined means that it did not exist at that moment. */
interface Pair {
  readonly type: DiscoveredType;
  before?: ApiObject;
  after?: ApiObject;
}

/**
 * Shows how objects differ between two moments (`FROM..TO`), or between a moment and now (`FROM`). Each moment is a
 * resourceVersion or an age. Resolves to whether the objects differ.
 * @throws CommandError if a moment is wrong
 */
export async function diffMoments(invocation: Invocation, text: string): Promise<boolean> {
  const { session, flags, args, io } = invocation;
  const moments = text.split('..');
  if (moments.length > 2 || moments.includes(''))
    throw new CommandError(`--at must be FROM or FROM..TO, such as 5m or 5m..1m, not ${JSON.stringify(text)}`);
  const selection = await select(session, flags, {
    ...{ args, typeMeansAll: true },
    nothing: () => new CommandError('which objects? Name a type, and perhaps names: diff deployments web --at=5m'),
  });
  throwAll(selection.errors);
  const [from, to] = moments as [string, string | undefined];
  const before = await versionAt(session, from);
  const after = to === undefined ? undefined : await versionAt(session, to);
  const pairs = await pairsOf(invocation, selection, before, after);
  return diffOf(io, ['FROM-', 'TO-'], async (put) => {
    for (const { type, ...pair } of pairs) {
      const { before, after } = masked(pair);
      if (before !== undefined) put('before', type, before);
      if (after !== undefined) put('after', type, after);
    }
  });
}

async function pairsOf(
  { session }: Invocation,
  selection: Selection,
  before: string,
  after: string | undefined,
): Promise<readonly Pair[]> {
  const pairs = new Map<string, Pair>();
  const errors: unknown[] = [];
  let missing: unknown[] = [];
  for (const [side, at] of [
    ['before', before],
    ['after', after],
  ] as const) {
    const notThere: unknown[] = [];
    const onError = (error: unknown) => (isNotFound(error) ? notThere : errors).push(error);
    for await (const { type, object } of found(session, selection, onError, { at })) {
      const { namespace = '', name = '' } = object.metadata;
      const key = [type.group, type.plural, namespace, name].join('/');
      const pair: Pair = pairs.get(key) ?? { type };
      pair[side] = object;
      pairs.set(key, pair);
    }
    missing = side === 'before' ? notThere : missing.filter((one) => notThere.some((other) => same(one, other)));
  }
  // If the object existed at neither moment, this is an error.
  throwAll([...errors, ...missing]);
  return [...pairs.values()];
}

function same(one: unknown, other: unknown): boolean {
  return (one as Error).message === (other as Error).message;
}
