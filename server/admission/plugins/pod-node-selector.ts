import { own, table } from '#base/collections/own-properties.ts';
import { unversionedPlugins } from '#program/operator-files/kinds.ts';
import type { Problem } from '#program/operator-files/validate.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import { labelValue, qualifiedName } from '#schema/validation/names.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Reads labels in the form `a=b,c=d`.
 * @throws Error with the reason
 */
function readLabels(text: string): Labels {
  const labels: Record<string, string> = table();
  if (text.trim() === '') return labels;
  for (const pair of text.split(',')) {
    const [key = '', value, ...more] = pair.split('=').map((part) => part.trim());
    if (value === undefined || more.length > 0) throw new Error(`invalid selector: ${JSON.stringify(text)}`);
    const [problem] = [...qualifiedName(key), ...labelValue(value)];
    if (problem !== undefined) throw new Error(`invalid selector: ${JSON.stringify(pair)}: ${problem}`);
    labels[key] = value;
  }
  return labels;
}

const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

/** @throws ConfigError with a line for each malformed selector */
function readConfiguration({ configuration, naming }: PluginEnvironment): ReadonlyMap<string, Labels> {
  const selectors = configuration?.as(unversionedPlugins, naming).podNodeSelectorPluginConfig ?? {};
  const problems: Problem[] = [];
  const read = Object.entries(selectors).flatMap(([name, text]): [string, Labels][] => {
    try {
      return [[name, readLabels(text)]];
    } catch (error) {
      problems.push({ path: ['podNodeSelectorPluginConfig', name], what: `is an ${(error as Error).message}` });
      return [];
    }
  });
  configuration?.refuse(problems);
  return new Map(read);
}

/** Whether all labels are in a list. An empty list allows all labels. */
function listed(labels: Labels, list: Labels): boolean {
  return Object.keys(list).length === 0 || Object.entries(labels).every(([key, value]) => own(list, key) === value);
}

function conflicts(a: Labels, b: Labels): boolean {
  return Object.entries(a).some(([key, value]) => (own(b, key) ?? value) !== value);
}

/** Limits pods to the nodes that their namespace selects. */
export function podNodeSelector(environment: PluginEnvironment): AdmissionPlugin {
  const { naming, cluster } = environment;
  const configured = readConfiguration(environment);
  const annotation = naming.key('scheduler.alpha/node-selector');

  async function selectorOf(request: AdmissionRequest): Promise<Labels> {
    const namespace = await cluster.find<Namespace>('', 'namespaces', request.namespace);
    const text = namespace?.metadata.annotations?.[annotation];
    if (text === undefined) return configured.get(CLUSTER_DEFAULT) ?? {};
    try {
      return readLabels(text);
    } catch (error) {
      throw refusal(request, `annotation ${annotation} of the namespace: ${(error as Error).message}`);
    }
  }

  function check(request: AdmissionRequest): void {
    const allowed = configured.get(request.namespace) ?? {};
    if (listed(podOf(request).spec.nodeSelector ?? {}, allowed)) return;
    throw refusal(request, 'pod node label selector labels conflict with its namespace whitelist');
  }

  return {
    name: 'PodNodeSelector',
    handles: handling('', 'pods', ['CREATE']),
    async mutate(request) {
      const { spec } = podOf(request);
      const wanted = await selectorOf(request);
      if (conflicts(wanted, spec.nodeSelector ?? {})) {
        throw refusal(request, 'pod node label selector conflicts with its namespace node label selector');
      }
      if (Object.keys(wanted).length > 0) spec.nodeSelector = { ...wanted, ...spec.nodeSelector };
      check(request);
    },
    validate: check,
  };
}
