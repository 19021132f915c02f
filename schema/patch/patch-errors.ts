import { badRequest, StatusError } from '#base/errors/status-error.ts';
import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';

/** The deepest nesting of a patch and of its result. Objects of real systems have fewer than a hundred levels. */
export const MAX_DEPTH = 1000;

/** The error 422 with empty details. The patch is well formed, but cannot be applied to this object. */
export class InapplicablePatch extends StatusError {
  /** The reason, for the authors of the patch. Clients do not get it. */
  readonly why: string;

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    this.why = why;
  }
}

/** The error about a failed `test` operation: the value is not the one that the patch expects. */
export class FailedTest extends InapplicablePatch {}

/** The error about a patch that cannot be applied, see {@link InapplicablePatch}. */
export function cannotApply(why = 'the patch does not fit the object'): InapplicablePatch {
  return new InapplicablePatch(why);
}

/** The error 400 about a wrong patch document. `problem` follows the standard introduction. */
export function malformed(problem: string): StatusError {
  return badRequest(`error decoding patch: ${problem}`);
}

/** The name of a JSON value's type in messages about patches. */
export function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || value instanceof JsonNumber) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Throws 400 if a value nests deeper than {@link MAX_DEPTH}. So all later code may use recursion. */
export function checkDepth(value: JsonValue): void {
  const pending: [JsonValue, number][] = [[value, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (!Array.isArray(node) && !isObject(node)) continue;
    if (depth > MAX_DEPTH) throw malformed(`exceeded max depth of ${MAX_DEPTH}`);
    if (Array.isArray(node)) {
      for (const child of node) if (typeof child === 'object' && child !== null) pending.push([child, depth + 1]);
      continue;
    }
    for (const name in node) {
      const child = node[name];
      if (typeof child === 'object' && child !== null) pending.push([child, depth + 1]);
    }
  }
}
