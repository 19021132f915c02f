import type { Toleration } from '#schema/generated/core.v1.ts';

/** A text for a toleration. Two tolerations have the same text if, and only if, they are equal. */
function identity({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration): string {
  return JSON.stringify([key, operator, value, effect, tolerationSeconds ?? null]);
}

/** A toleration in a set. The tolerations of a set differ only in their seconds. */
interface Member {
  readonly id: string;
  readonly seconds: number;
}

/**
 * A set of tolerations. In one step it finds out whether one of them covers another toleration. Tolerations that differ
 * only in their seconds share a place. A place keeps the two different ones with the longest times, because at least
 * one of them is not the toleration in question.
 */
export class TolerationSet {
  readonly #ids = new Set<string>();
  readonly #places = new Map<string, Member[]>();

  add(toleration: Toleration): void {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    const id = identity(toleration);
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const exists = operator === 'Exists';
    if (!exists && operator !== '' && operator !== 'Equal') return;
    const place = placeOf(exists && key === '' ? undefined : key, effect, exists ? undefined : value);
    const seconds = effect === 'NoExecute' && tolerationSeconds !== undefined ? Number(tolerationSeconds) : Infinity;
    const longest = [...(this.#places.get(place) ?? []), { id, seconds }].sort((a, b) => b.seconds - a.seconds);
    this.#places.set(place, longest.slice(0, 2));
  }

  /** Whether one of the tolerations covers the given one. An equal one covers it too. */
  covers(narrow: Toleration): boolean {
    return this.#ids.has(identity(narrow)) || this.coversByOther(narrow);
  }

  /** Whether one of the tolerations covers the given one without being equal to it. */
  coversByOther(narrow: Toleration): boolean {
    const { key = '', operator, value = '', effect = '', tolerationSeconds } = narrow;
    const id = identity(narrow);
    const needed = tolerationSeconds === undefined ? Infinity : Number(tolerationSeconds);
    for (const ofKey of [undefined, key])
      for (const ofEffect of new Set(['', effect]))
        for (const ofValue of operator === 'Equal' ? [undefined, value] : [undefined]) {
          const longest = this.#places.get(placeOf(ofKey, ofEffect, ofValue)) ?? [];
          if (longest.some((member) => member.id !== id && member.seconds >= needed)) return true;
        }
    return false;
  }
}

/** The place of tolerations with a key, an effect and a value. Undefined stands for any key or any value. */
function placeOf(key: string | undefined, effect: string, value: string | undefined): string {
  return JSON.stringify([key ?? null, effect, value ?? null]);
}

/** The tolerations of both lists, without those that another toleration covers. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const later = new TolerationSet();
  const isCovered = all
    .toReversed()
    .map((toleration) => {
      const covered = later.coversByOther(toleration);
      later.add(toleration);
      return covered;
    })
    .reverse();
  const kept = new TolerationSet();
  return all.filter((toleration, i) => {
    if (kept.covers(toleration) || isCovered[i]) return false;
    kept.add(toleration);
    return true;
  });
}
