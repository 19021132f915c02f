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
  /** How long the node pulls the image before the container starts. */
  'start-seconds',
  /** The time until the readiness probe succeeds. */
  'ready-seconds',
  /** Whether the readiness probe fails. It fails as long as this is `true`. */
  'unready',
  /** The time until the liveness probe fails. The container is killed then. */
  'unhealthy-seconds',
  /** The time until the container uses more memory than its limit. The container is killed then. */
  'oom-seconds',
  /** Whether the image cannot be pulled. The pulls fail as long as this is `true`. */
  'pull-error',
  /** The time from the start of the pod until its node evicts it. */
  'evict-seconds',
  /** The time that the container takes to end after it is asked to end. */
  'termination-seconds',
  /** The exit code of commands that probes and `exec` run in the container. */
  'exec-exit-code',
  /** The usage of the container while it runs, as quantities: cores and bytes. */
  'cpu',
  'memory',
] as const;

export type WishName = (typeof WISHES)[number];

/** The longest time, in seconds: a year. */
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

  /** The milliseconds of a wish; undefined if there is no such wish or if its text is malformed. */
  ms(name: WishName): number | undefined {
    const text = this.#text(name);
    if (text === undefined || !/^\d+(\.\d+)?$/.test(text)) return undefined;
    return Math.min(Number(text), LONGEST) * 1000;
  }

  /** Whether a wish is `true`. */
  is(name: WishName): boolean {
    return this.#text(name) === 'true';
  }

  /** The quantity of a wish, as a number; undefined if there is no such wish or if its text is malformed. */
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
