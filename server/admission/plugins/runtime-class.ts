import { own } from '#base/collections/own-properties.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import type { RuntimeClass } from '#schema/generated/node.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';
import { mergeTolerations } from '../tolerations.ts';

type Amounts = Readonly<Record<string, string>>;

function sameAmounts(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && parseQuantity(a[name]!).compare(parseQuantity(b[name]!)) === 0)
  );
}

function addNodeSelector(request: AdmissionRequest, spec: PodSpec, wanted: Record<string, string>): void {
  for (const [key, value] of Object.entries(wanted)) {
    const chosen = own(spec.nodeSelector, key);
    if (chosen === undefined || chosen === value) continue;
    throw refusal(
      request,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${chosen}`,
    );
  }
  spec.nodeSelector = { ...wanted, ...spec.nodeSelector };
}

/** Adds the overhead of the runtime class to new pods, and limits them to the nodes that support the class. */
export function runtimeClass({ cluster }: PluginEnvironment): AdmissionPlugin {
  async function classOf(request: AdmissionRequest, { runtimeClassName }: PodSpec): Promise<RuntimeClass | undefined> {
    if (runtimeClassName === undefined) return undefined;
    const found = await cluster.find<RuntimeClass>('node', 'runtimeclasses', runtimeClassName);
    if (found !== undefined) return found;
    throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  }

  function checkOverhead(request: AdmissionRequest, overhead: Amounts, { podFixed }: { podFixed?: Amounts }): void {
    if (sameAmounts(overhead, podFixed ?? {})) return;
    throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }

  return {
    name: 'RuntimeClass',
    handles: handling('', 'pods', ['CREATE']),
    async mutate(request) {
      const { spec } = podOf(request);
      const found = await classOf(request, spec);
      if (found?.overhead !== undefined) {
        if (spec.overhead !== undefined) checkOverhead(request, spec.overhead, found.overhead);
        spec.overhead = { ...found.overhead.podFixed };
      }
      if (found?.scheduling === undefined) return;
      const { nodeSelector, tolerations = [] } = found.scheduling;
      if (nodeSelector !== undefined) addNodeSelector(request, spec, nodeSelector);
      const merged = mergeTolerations(spec.tolerations ?? [], cloneJson(tolerations ?? []));
      if (merged.length > 0) spec.tolerations = merged;
    },
    async validate(request) {
      const { spec } = podOf(request);
      const found = await classOf(request, spec);
      if (found?.overhead !== undefined) return checkOverhead(request, spec.overhead ?? {}, found.overhead);
      if (spec.overhead === undefined) return;
      throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}
