import { podTolerationRestriction as kind } from '#program/operator-files/kinds.ts';
import type { Namespace, Toleration } from '#schema/generated/core.v1.ts';
import { qualityOfService } from '#schema/quota/quality-of-service.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';
import { mergeTolerations, TolerationSet } from '../tolerations.ts';

function isTolerations(value: unknown): value is Toleration[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null);
}

/** Adds the default tolerations of the namespace to a new pod, and refuses pods with tolerations that it forbids. */
export function podTolerationRestriction({ naming, cluster, configuration }: PluginEnvironment): AdmissionPlugin {
  const configured = configuration?.as(kind, naming);
  const clusterDefault = configured?.default ?? [];
  const clusterAllowed = configured?.whitelist ?? [];
  const defaultKey = naming.key('scheduler.alpha/defaultTolerations');
  const allowedKey = naming.key('scheduler.alpha/tolerationsWhitelist');
  const pressure = { key: naming.key('node/memory-pressure'), operator: 'Exists', effect: 'NoSchedule' };

  /** The list of tolerations in an annotation of the pod's namespace; undefined if there is no such annotation. */
  async function annotated(request: AdmissionRequest, key: string): Promise<readonly Toleration[] | undefined> {
    const namespace = await cluster.find<Namespace>('', 'namespaces', request.namespace);
    const text = namespace?.metadata.annotations?.[key];
    if (text === undefined) return undefined;
    if (text === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (isTolerations(value)) return value;
    throw refusal(request, `annotation ${key} of the namespace is not a JSON list of tolerations`);
  }

  async function check(request: AdmissionRequest): Promise<void> {
    const { tolerations = [] } = podOf(request).spec;
    if (tolerations.length === 0) return;
    const own = await annotated(request, allowedKey);
    const allowed = own ?? clusterAllowed;
    if (allowed.length === 0) return;
    const wide = new TolerationSet();
    for (const toleration of allowed) wide.add(toleration);
    if (tolerations.every((wanted) => wide.covers(wanted))) return;
    const scope = own === undefined ? 'cluster' : 'namespace';
    throw refusal(
      request,
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  }

  return {
    name: 'PodTolerationRestriction',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    async mutate(request) {
      const { spec } = podOf(request);
      let tolerations: readonly Toleration[] = spec.tolerations ?? [];
      if (request.operation === 'CREATE') {
        tolerations = mergeTolerations(tolerations, (await annotated(request, defaultKey)) ?? clusterDefault);
      }
      if (qualityOfService(spec) !== 'BestEffort') tolerations = mergeTolerations(tolerations, [pressure]);
      if (tolerations.length > 0) spec.tolerations = structuredClone([...tolerations]);
      await check(request);
    },
    validate: check,
  };
}
