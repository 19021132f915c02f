import { StatusError } from '#base/errors/status-error.ts';
import { currentStages } from '#program/tracing/request-stages.ts';
import type { AdmissionChain, AdmissionRequest, Operation, Phase } from '../api/admission.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { AdmissionTimer, StepTimer } from './admission-metrics.ts';
import type { AdmissionPlugin, Target } from './plugin.ts';

/** A plug-in that handles a kind of request, and the timer of its calls. */
interface Step {
  readonly plugin: AdmissionPlugin;
  readonly took: StepTimer;
}

/** The steps of one phase that a kind of request passes. */
interface PhaseSteps {
  readonly phase: Phase;
  readonly steps: readonly Step[];
  readonly took: StepTimer;
}

interface Steps {
  readonly mutating: PhaseSteps;
  readonly validating: PhaseSteps;
}

/**
 * The built-in plug-ins in their order: first those that mutate, then those that validate the resulting object. The
 * chain determines once for each kind of request which plug-ins handle it.
 */
export class PluginChain implements AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #timers: AdmissionTimer;
  readonly #steps = new WeakMap<ServedResource, Map<string, Steps>>();

  constructor(plugins: readonly AdmissionPlugin[], timers: AdmissionTimer) {
    this.#plugins = plugins;
    this.#timers = timers;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const { mutating } = this.#stepsOf(request);
    const reinvocation = { again: false, wanted: false };
    request.reinvocation = reinvocation;
    await this.#run(mutating, request);
    if (!reinvocation.wanted) return;
    request.reinvocation = { again: true, wanted: false };
    await this.#run(mutating, request);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    await this.#run(this.#stepsOf(request).validating, request);
  }

  async #run({ phase, steps, took }: PhaseSteps, request: AdmissionRequest): Promise<void> {
    const started = performance.now();
    const stages = currentStages();
    stages?.enter('admission', started);
    let at = started;
    let current: string | undefined;
    try {
      for (const step of steps) {
        const { plugin } = step;
        current = plugin.name;
        // Most steps are synchronous, so the chain does not wait for a turn of the event loop after each step.
        const running = phase === 'admit' ? plugin.mutate!(request) : plugin.validate!(request);
        if (running !== undefined) await running;
        const now = performance.now();
        step.took((now - at) / 1000);
        stages?.note('admission', plugin.name, now - at);
        at = now;
      }
    } catch (error) {
      if (error instanceof StatusError) error.refusedBy = current;
      const now = performance.now();
      stages?.leave('admission', now);
      stages?.note('admission', current ?? '', now - at);
      this.#timers.timer(current, request.operation, phase, true)((now - at) / 1000);
      this.#timers.timer(undefined, request.operation, phase, true)((now - started) / 1000);
      throw error;
    }
    stages?.leave('admission', at);
    took((at - started) / 1000);
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
    const phaseSteps = (phase: Phase, plugins: readonly AdmissionPlugin[]): PhaseSteps => ({
      phase,
      steps: plugins.map((plugin) => ({ plugin, took: this.#timers.timer(plugin.name, operation, phase, false) })),
      took: this.#timers.timer(undefined, operation, phase, false),
    });
    return {
      mutating: phaseSteps(
        'admit',
        looking.filter((plugin) => plugin.mutate !== undefined),
      ),
      validating: phaseSteps(
        'validate',
        looking.filter((plugin) => plugin.validate !== undefined),
      ),
    };
  }
}
