import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { readText } from '#program/operator-files/read-file.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Access } from '../../api/access.ts';
import type { AdmissionRequest, Operation } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { readServerOptions } from '../../config/options.ts';
import { parseFlags } from '../../config/parse-flags.ts';
import { WarningList } from '../../http/warnings.ts';
import { ClusterServices } from '../../outbound/cluster-services.ts';
import { AdmissionMetrics } from '../admission-metrics.ts';
import type { AdmissionPlugin, PluginEnvironment, PluginFactory } from '../plugin.ts';
import { FakeCluster, type Objects } from './fake-cluster.ts';

export const naming = createNaming('orch');

/** The inputs of a plug-in. */
export interface Surroundings {
  readonly objects?: Objects;
  readonly access?: Access;
  /** The plug-in's configuration, as in the configuration file. */
  readonly configuration?: unknown;
  readonly flags?: readonly string[];
}

/** The request to try. The defaults fit pods. */
export interface Trial {
  readonly operation?: Operation;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: object | undefined;
  readonly oldObject?: object;
  readonly user?: Partial<UserInfo>;
  readonly dryRun?: boolean;
}

/** The result. */
export interface Outcome {
  /** '' if the request is admitted; otherwise the reason after the standard introduction. */
  readonly refused: string;
  /** The object after the plug-in. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of any kind
  readonly object: any;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const FLAGS = ['--etcd-servers=http://127.0.0.1:1', '--tls-cert-file=c', '--tls-private-key-file=k'];

export function surroundings({ objects, access, configuration, flags }: Surroundings = {}): PluginEnvironment {
  const parsed = parseFlags([...FLAGS, ...(flags ?? [])]);
  if (!('flags' in parsed)) throw new Error('no flags');
  const cluster = new FakeCluster(objects);
  return {
    naming,
    gates: createFeatureGates(),
    options: readServerOptions(parsed.flags),
    cluster,
    services: new ClusterServices({ get: (...of) => cluster.get(...of), labelled: () => [] }, naming, false),
    access: access ?? (async () => ({ allowed: false, reason: '' })),
    metrics: new AdmissionMetrics(),
    configuration: configuration === undefined ? undefined : readText(JSON.stringify(configuration), '/a.yaml'),
    warn: () => {},
  };
}

export function requestOf(trial: Trial): AdmissionRequest {
  const { operation = 'CREATE', group = '', resource = 'pods', subresource = '', user } = trial;
  const namespaced = !['nodes', 'namespaces', 'persistentvolumes', 'csinodes', 'certificatesigningrequests'].includes(
    resource,
  );
  const object = trial.object as ApiObject | undefined;
  const served = {
    type: { group, plural: resource, kind: resource, namespaced, version: 'v1' },
    group: naming.group(group),
    version: 'v1',
    apiVersion: naming.apiVersion(group, 'v1'),
  } as unknown as ServedResource;
  const context = {
    user: { name: 'alice', uid: '', groups: [], extra: {}, ...user },
    warnings: new WarningList(),
    annotations: new Map<string, string>(),
  } as unknown as RequestContext;
  return {
    operation,
    served,
    subresource,
    namespace: trial.namespace ?? (namespaced ? 'ns' : ''),
    name: trial.name ?? object?.metadata?.name ?? '',
    object: object === undefined ? undefined : (structuredClone(object) as ApiObject),
    oldObject: trial.oldObject as ApiObject | undefined,
    options: {},
    dryRun: trial.dryRun ?? false,
    context,
    conditions: [],
  };
}

/** Passes a request through one plug-in, like the chain. */
export async function tryPlugin(plugin: AdmissionPlugin, trial: Trial): Promise<Outcome> {
  const request = requestOf(trial);
  const { type } = request.served;
  const { operation, subresource } = request;
  let refused = '';
  try {
    if (plugin.handles({ operation, group: type.group, resource: type.plural, subresource })) {
      await plugin.mutate?.(request);
      await plugin.validate?.(request);
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    refused = error.message.replace(/^.*? is forbidden: /, '');
  }
  const { warnings, annotations } = request.context;
  return {
    refused,
    object: request.object,
    warnings: (warnings as WarningList).texts,
    annotations: Object.fromEntries(annotations),
  };
}

/** Makes a plug-in and passes requests through it. */
export function trying(make: PluginFactory, around: Surroundings = {}): (trial: Trial) => Promise<Outcome> {
  const plugin = make(surroundings(around));
  return (trial) => tryPlugin(plugin, trial);
}

/** A pod with one container. `spec` overrides parts of its spec, and `metadata` parts of its metadata. */
export function podWith(spec: object = {}, metadata: object = {}): object {
  return {
    metadata: { name: 'p', namespace: 'ns', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}
