import type { Naming } from '#base/naming/naming.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';
import type { Access } from '../api/access.ts';
import type { AdmissionRequest, Operation } from '../api/admission.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { ServerOptions } from '../config/options.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import type { Warn } from '../outbound/webhook-connection.ts';
import type { AdmissionMetrics } from './admission-metrics.ts';
import type { ClusterView } from './cluster-view.ts';

/** The subject of a request. The group is in its neutral short form. */
export interface Target {
  readonly operation: Operation;
  readonly group: string;
  readonly resource: string;
  /** The subresource; '' for the object itself. */
  readonly subresource: string;
}

/** One step of admission. Both functions throw StatusErrors to refuse a request. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether the plug-in handles such requests. It is called once for each target. */
  handles(target: Target): boolean;
  mutate?(request: AdmissionRequest): Promise<void> | void;
  validate?(request: AdmissionRequest): Promise<void> | void;
}

/** The inputs of plug-ins. */
export interface PluginEnvironment {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly options: ServerOptions;
  readonly cluster: ClusterView;
  readonly access: Access;
  /** The addresses of services. */
  readonly services: ClusterServices;
  readonly metrics: AdmissionMetrics;
  /** The settings of this plug-in in the admission configuration file. */
  readonly configuration: FilePart | undefined;
  /** Called with each unknown field of a connection file. */
  readonly warn: Warn;
}

export type PluginFactory = (environment: PluginEnvironment) => AdmissionPlugin;

/**
 * A function that matches the given operations on one resource, or on one of its subresources if `resource` names one.
 */
export function handling(
  group: string,
  resource: string,
  operations: readonly Operation[],
  subresource = '',
): (target: Target) => boolean {
  return (target) =>
    target.resource === resource &&
    target.group === group &&
    target.subresource === subresource &&
    operations.includes(target.operation);
}
