import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError } from '../../framework/errors.ts';
import { evaluate, PathError } from '../../output/jsonpath/evaluate.ts';
import { relaxedPath } from '../../output/jsonpath/relaxed.ts';

/** The condition of `--for`. An object exists, is deleted, or passes a test. */
export type Awaited =
  | { readonly kind: 'create' }
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'state';
      /** @throws CommandError if the value in the object cannot be compared */
      readonly isMet: (object: ApiObject) => boolean;
    };

/** Parses `--for`. @throws CommandError if the text is malformed */
export function parseAwaited(text: string): Awaited {
  const lower = text.toLowerCase();
  if (lower === 'create') return { kind: 'create' };
  if (lower === 'delete') return { kind: 'delete' };
  if (text.startsWith('condition=')) return { kind: 'state', isMet: conditionTest(text.slice('condition='.length)) };
  if (text.startsWith('jsonpath=')) return { kind: 'state', isMet: pathTest(text.slice('jsonpath='.length)) };
  throw new CommandError(`unrecognized condition: ${JSON.stringify(text)}`);
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

/** The test for `Ready` or `Ready=false`. It checks the status of a condition that is about the current generation. */
function conditionTest(text: string): (object: ApiObject) => boolean {
  const equals = text.indexOf('=');
  const type = (equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  const wanted = equals < 0 ? 'true' : text.slice(equals + 1).toLowerCase();
  return (object) => {
    const status = (object['status'] ?? {}) as { conditions?: Condition[] | null; observedGeneration?: number };
    const condition = (status.conditions ?? []).find((each) => each.type?.toLowerCase() === type);
    if (condition?.status?.toLowerCase() !== wanted) return false;
    const observed = condition.observedGeneration ?? status.observedGeneration;
    return observed === undefined || observed >= (object.metadata.generation ?? 0);
  };
}

/** The test for `{.a.b}` (any value exists) or `{.a.b}=value`. */
function pathTest(text: string): (object: ApiObject) => boolean {
  const { path, value } = splitPath(text);
  if (value === '')
    throw new CommandError(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  const nodes = relaxedPath(path);
  return (object) => {
    let found: unknown[];
    try {
      found = evaluate(nodes, object, true)[0] ?? [];
    } catch (error) {
      if (error instanceof PathError) throw new CommandError(error.message);
      throw error;
    }
    if (found.length === 0) return false;
    if (found.length > 1) throw new CommandError('given jsonpath expression matches more than one value');
    if (value === undefined) return true;
    const [one] = found;
    const plain = (one as { valueOf(): unknown } | null)?.valueOf();
    if (typeof plain === 'object' && plain !== null)
      throw new CommandError('jsonpath leads to a nested object or list which is not supported');
    return String(one).trim() === value;
  };
}

/**
 * Splits at the `=` that is outside of brackets, because filters contain such signs too. `==` does not count.
 * @throws CommandError if there are several
 */
function splitPath(text: string): { path: string; value: string | undefined } {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/==|./gs)) {
    if ('[('.includes(token)) depth++;
    else if (')]'.includes(token)) depth--;
    if (token === '=' && depth <= 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  const [path = '', value, ...more] = parts;
  if (more.length > 0)
    throw new CommandError(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  if (path === '') throw new CommandError('jsonpath expression cannot be empty');
  return { path, value: value?.trim().replaceAll(/^['"]+|['"]+$/g, '') };
}
