import { stringify } from '#base/json/stringify.ts';
import type { AdmissionRequest } from '../api/admission.ts';

/**
 * The memory of a mutating step between its two runs for one request: the webhooks or policies that it called, and
 * those that it must call again because the object has changed since.
 */
export class Rounds {
  /** Webhooks or policies that were called and must be called again after a change. It is empty after that change. */
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();
  /** The object after the first run; undefined if it is not needed. */
  #left: string | undefined;

  /** Called when a run begins. */
  begin(request: AdmissionRequest): void {
    if (isSecond(request) && this.#left !== undefined && this.#left !== textOf(request)) this.changed();
  }

  /** Whether the current run has anything to do. */
  isIdle(request: AdmissionRequest): boolean {
    return isSecond(request) && this.#again.size === 0;
  }

  /** Whether the current run must call a webhook or policy. */
  wants(request: AdmissionRequest, id: string): boolean {
    return !isSecond(request) || this.#again.has(id);
  }

  /** Records that a webhook or policy was called, and must be called again after a change. */
  asked(id: string): void {
    this.#asked.add(id);
  }

  /** Records that the object changed after the earlier calls. */
  changed(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked.clear();
  }

  /** Called when a run has ended. */
  end(request: AdmissionRequest): void {
    if (!isSecond(request) && this.#asked.size > 0) this.#left = textOf(request);
  }
}

function isSecond({ reinvocation }: AdmissionRequest): boolean {
  return reinvocation?.again === true;
}

function textOf({ object, served, kind }: AdmissionRequest): string {
  if (object === undefined) return '';
  return stringify(kind === undefined ? served.reading.model.canonical(object) : object);
}

/** The memory of a step for each request. */
export class RememberedRounds {
  readonly #known = new WeakMap<AdmissionRequest, Rounds>();

  of(request: AdmissionRequest): Rounds {
    let rounds = this.#known.get(request);
    if (rounds === undefined) this.#known.set(request, (rounds = new Rounds()));
    return rounds;
  }
}
