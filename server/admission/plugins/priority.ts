import type { Pod } from '#schema/generated/core.v1.ts';
import type { PriorityClass } from '#schema/generated/scheduling.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';

const GROUP = 'scheduling';
const CLASSES = 'priorityclasses';

/** The values that a pod gets from its priority class, or without one. */
interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly policy: string | undefined;
}

/** Turns the priority class of new pods into a number, and ensures that there is only one default class. */
export function priority({ cluster }: PluginEnvironment): AdmissionPlugin {
  /** The default class. If there are several, it is the lowest one. */
  function defaultClass(): PriorityClass | undefined {
    let found: PriorityClass | undefined;
    for (const candidate of cluster.list<PriorityClass>(GROUP, CLASSES)) {
      if (candidate.globalDefault === true && (found === undefined || candidate.value < found.value)) found = candidate;
    }
    return found;
  }

  async function resolve(request: AdmissionRequest, name: string): Promise<Resolved> {
    const found = name === '' ? defaultClass() : await cluster.find<PriorityClass>(GROUP, CLASSES, name);
    if (found !== undefined) {
      return { name: found.metadata.name!, value: found.value ?? 0, policy: found.preemptionPolicy };
    }
    if (name !== '') throw refusal(request, `no PriorityClass with name ${name} was found`);
    return { name: '', value: 0, policy: 'PreemptLowerPriority' };
  }

  async function admitPod(request: AdmissionRequest): Promise<void> {
    const { spec } = podOf(request);
    if (request.operation === 'UPDATE') {
      const before = (request.oldObject as Pod).spec;
      if (spec.priority === undefined && before?.priority !== undefined) spec.priority = before.priority;
      if (spec.preemptionPolicy === undefined && before?.preemptionPolicy !== undefined) {
        spec.preemptionPolicy = before.preemptionPolicy;
      }
      return;
    }
    const { name, value, policy } = await resolve(request, spec.priorityClassName ?? '');
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refusal(
        request,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
      throw refusal(
        request,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
      );
    }
    if (name !== '') spec.priorityClassName = name;
    spec.priority = value;
    if (policy !== undefined) spec.preemptionPolicy = policy;
  }

  return {
    name: 'Priority',
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      ((group === '' && resource === 'pods') || (group === GROUP && resource === CLASSES)),
    mutate: (request) => (request.served.type.plural === 'pods' ? admitPod(request) : undefined),
    validate(request) {
      const { object, operation, served } = request;
      if (served.type.plural !== CLASSES || object?.['globalDefault'] !== true) return;
      const current = defaultClass()?.metadata.name;
      if (current === undefined || (operation === 'UPDATE' && current === object.metadata.name)) return;
      throw refusal(request, `PriorityClass ${current} is already marked as default. Only one default can exist`);
    },
  };
}
