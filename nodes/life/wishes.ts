import type { Naming } from '#base/naming/naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';

/**
 * The wishes that annotations of a pod may have for its containers. Times are in seconds, counted from the start of a
 * container.
 */
export const WISHES = [
  /** The time until the container ends, with `exit-code`. */
  'seconds',
  'exit-code',
  /** How long its image is pulled before it starts. */
  'start-seconds',
  /** The time until the readiness probe succeeds. */
  'ready-seconds',
  /** Its readiness probe fails for as long as this is `true`. */
  'unready',
  /** Until its liveness probe fails, after which it is killed. */
  'unhealthy-seconds',
  /** The time until the container has used more memory than its limit, and is killed. */
  'oom-seconds',
  /** Its image cannot be pulled for as long as this is `true`. */
  'pull-error',
  /** Until its node evicts the pod, since the pod started. */
  'evict-seconds',
  /** The time until it ends after it is asked to. */
  'termination-seconds',
  /** The code with which commands end that probes and `exec` execute in it. */
  'exec-exit-code',
  /** The usage while it runs: cores and bytes, as quantities. */
  'cpu',
  'memory',
] as const;

export type WishName = (typeof WISHES)[number];

/** The most that a time may be, in seconds: a year. */
const LONGEST = 366 * 24 * 3600;

/** The wishes for one container, from the annotations of its pod. */
export class Wishes {
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #container: string;
  readonly #naming: Pick<Naming, 'key'>;
  readonly #others: ReadonlyMap<string, string> | undefined;

  /** @param others wishes that replace those of annotations, by their names without `simulate-` */
  constructor({ metadata }: Pod, container: string, naming: Pick<Naming, 'key'>, others?: ReadonlyMap<string, string>) {
    this.#others = others;
    this.#annotations = metadata.annotations ?? {};
    this.#container = container;
    this.#naming = naming;
  }

  /** The milliseconds of a wish; undefined if there is no such wish or if it cannot be read. */
  ms(name: WishName): number | undefined {
    const text = this.#text(name);
    if (text === undefined || !/^\d+(\.\d+)?$/.test(text)) return undefined;
    return Math.min(Number(text), LONGEST) * 1000;
  }

  /** Whether a wish is `true`. */
  is(name: WishName): boolean {
    return this.#text(name) === 'true';
  }

  /** The quantity of a wish, as a number; undefined if there is no such wish or if it cannot be read. */
  amount(name: WishName): number | undefined {
    const text = this.#text(name);
    if (text === undefined) return undefined;
    try {
      const { nanos } = parseQuantity(text);
      return nanos < 0n ? undefined : Number(nanos) / 1e9;
    } catch {
      return undefined;
    }
  }

  /** The code with which the container ends. */
  get exitCode(): number | undefined {
    return this.#code('exit-code');
  }

  /** The code with which commands end that are executed in the container. */
  get execExitCode(): number | undefined {
    return this.#code('exec-exit-code');
  }

  #code(name: WishName): number | undefined {
    const text = this.#text(name);
    return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : undefined;
  }

  /** The part of `a=1,b=2` for this container, or all of `1`. */
  #text(name: WishName): string | undefined {
    const key = this.#naming.key(`simulate-${name}`);
    const own = Object.hasOwn(this.#annotations, key) ? this.#annotations[key] : undefined;
    const text = (this.#others?.get(name) ?? own)?.trim();
    if (text === undefined) return undefined;
    if (!text.includes('=')) return text;
    for (const part of text.split(',')) {
      const at = part.indexOf('=');
      if (at >= 0 && part.slice(0, at).trim() === this.#container) return part.slice(at + 1).trim();
    }
    return undefined;
  }
}
