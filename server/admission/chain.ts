import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionChain, AdmissionRequest, Operation } from './admission.ts';
import type { AdmissionTimer, Phase } from './admission-metrics.ts';
import type { AdmissionPlugin, Target } from './plugin.ts';

/** The steps that a kind of request passes. */
interface Steps {
  readonly mutating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
}

/**
 * The built-in plug-ins in their order: those that mutate, then (on the valid object) those that validate. Which of
 * them look at a kind of request is found out once.
 */
export class PluginChain implements AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #timer: AdmissionTimer;
  readonly #steps = new WeakMap<ServedResource, Map<string, Steps>>();

  constructor(plugins: readonly AdmissionPlugin[], timer: AdmissionTimer) {
    this.#plugins = plugins;
    this.#timer = timer;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const { mutating } = this.#stepsOf(request);
    const reinvocation = { again: false, wanted: false };
    request.reinvocation = reinvocation;
    await this.#run(mutating, 'admit', request);
    if (!reinvocation.wanted) return;
    request.reinvocation = { again: true, wanted: false };
    await this.#run(mutating, 'admit', request);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    await this.#run(this.#stepsOf(request).validating, 'validate', request);
  }

  async #run(plugins: readonly AdmissionPlugin[], phase: Phase, request: AdmissionRequest): Promise<void> {
    const { operation } = request;
    const started = performance.now();
    let at = started;
    let current: string | undefined;
    let rejected = true;
    try {
      for (const plugin of plugins) {
        current = plugin.name;
        // most steps are synchronous: they are not to cost a turn each
        const running = phase === 'admit' ? plugin.mutate!(request) : plugin.validate!(request);
        if (running !== undefined) await running;
        const now = performance.now();
        this.#timer.observe(current, operation, phase, false, (now - at) / 1000);
        at = now;
      }
      rejected = false;
    } finally {
      const now = performance.now();
      if (rejected) this.#timer.observe(current, operation, phase, true, (now - at) / 1000);
      this.#timer.observe(undefined, operation, phase, rejected, (now - started) / 1000);
    }
  }

  #stepsOf({ served, operation, subresource }: AdmissionRequest): Steps {
    let known = this.#steps.get(served);
    if (known === undefined) this.#steps.set(served, (known = new Map()));
    const key = `${operation}/${subresource}`;
    let steps = known.get(key);
    if (steps === undefined) known.set(key, (steps = this.#choose(served, operation, subresource)));
    return steps;
  }

  #choose(served: ServedResource, operation: Operation, subresource: string): Steps {
    const target: Target = { operation, group: served.type.group, resource: served.type.plural, subresource };
    const looking = this.#plugins.filter((plugin) => plugin.handles(target));
    return {
      mutating: looking.filter((plugin) => plugin.mutate !== undefined),
      validating: looking.filter((plugin) => plugin.validate !== undefined),
    };
  }
}
