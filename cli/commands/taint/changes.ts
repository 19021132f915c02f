import { qualifiedName } from '#schema/validation/names.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** The taints to set, and the taints to remove. A taint to remove without an effect means all its effects. */
export interface Changes {
  readonly set: readonly Taint[];
  readonly removed: readonly { readonly key: string; readonly effect: string }[];
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const WORD = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * Parses `key=value:effect`, `key:effect`, `key:effect-` and `key-`.
 * @throws UsageError if there are no changes, CommandError if a text is malformed
 */
export function parseChanges(texts: readonly string[]): Changes {
  const set: Taint[] = [];
  const removed: Changes['removed'][number][] = [];
  for (const text of texts) {
    const removes = text.endsWith('-');
    const [name = '', effect = '', ...more] = (removes ? text.slice(0, -1) : text).split(':');
    const [key = '', value, ...values] = name.split('=');
    if (more.length > 0 || values.length > 0) throw new UsageError(`invalid taint spec: ${text}`);
    if (removes) {
      if (effect !== '') checkEffect(effect);
      removed.push({ key, effect });
      continue;
    }
    // Without an effect, the whole text is the key.
    const wrong = mistakeInKey(text.includes(':') ? key : text);
    if (wrong !== undefined) throw new UsageError(`invalid taint spec: ${text}, ${wrong}`);
    checkEffect(effect);
    if (value !== undefined && value !== '' && !WORD.test(value))
      throw new UsageError(
        `invalid taint spec: ${text}, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
    if (set.some((other) => other.key === key && other.effect === effect))
      throw new UsageError(`duplicated taints with the same key and effect: {${key} ${value ?? ''} ${effect} <nil>}`);
    set.push({ key, ...(value ? { value } : {}), effect });
  }
  const both = removed.filter((one) => set.some((other) => concerns(one, other)));
  if (both.length > 0)
    throw new CommandError(
      `can not both modify and remove the following taint(s) in the same command: ${both.map(({ key, effect }) => `${key}=${effect}`).join(', ')}`,
    );
  return { set, removed };
}

function concerns(removed: Changes['removed'][number], { key, effect }: Taint): boolean {
  return removed.key === key && (removed.effect === '' || removed.effect === effect);
}

function checkEffect(effect: string): void {
  if (!EFFECTS.includes(effect)) throw new UsageError(`invalid taint effect: ${effect}, unsupported taint effect`);
}

function mistakeInKey(key: string): string | undefined {
  const mistakes = qualifiedName(key);
  return mistakes.length === 0 ? undefined : mistakes.join('; ');
}

/**
 * The taints of a node after the changes. The result also has the missing taints that should be removed, and one word
 * for the change.
 */
export function tainted(
  now: readonly Taint[],
  { set, removed }: Changes,
): { readonly taints: readonly Taint[]; readonly missing: readonly string[]; readonly done: string } {
  const replaced = now.some((one) => set.some(({ key, effect }) => one.key === key && one.effect === effect));
  const missing = removed
    .filter((one) => !now.some((other) => concerns(one, other)))
    .map(({ key, effect }) => `${key}${effect === '' ? '' : `:${effect}`}`);
  const kept = now.filter(
    (one) =>
      !removed.some((each) => concerns(each, one)) &&
      !set.some(({ key, effect }) => one.key === key && one.effect === effect),
  );
  const done =
    replaced || (set.length > 0 && removed.length > 0) ? 'modified' : set.length > 0 ? 'tainted' : 'untainted';
  return { taints: [...set, ...kept], missing, done };
}
