import { table } from '#base/collections/own-properties.ts';
import type { Counter } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type Mode, type Standard, shownVersion } from './policy.ts';

/** The minor number of the newest release whose standards this server knows. */
const NEWEST = 25;
const KINDS: Readonly<Record<string, string>> = table({ pods: 'pod', namespaces: 'namespace' });
type RequestLabel = 'request_operation' | 'resource' | 'subresource';

function shownRequest({ operation, served, subresource }: AdmissionRequest): Record<RequestLabel, string> {
  const resource = KINDS[served.type.plural] ?? 'controller';
  return { request_operation: operation.toLowerCase(), resource, subresource };
}

/** The results of evaluated pods, with the names that operators of this field know. */
export class PodSecurityMetrics {
  readonly #evaluations: Counter<RequestLabel | 'decision' | 'mode' | 'policy_level' | 'policy_version'>;
  readonly #exemptions: Counter<RequestLabel>;
  readonly #errors: Counter<RequestLabel | 'fatal'>;

  constructor(metrics: MetricSet) {
    this.#evaluations = metrics.counter('pod_security_evaluations_total');
    this.#exemptions = metrics.counter('pod_security_exemptions_total');
    this.#errors = metrics.counter('pod_security_errors_total');
  }

  evaluated(request: AdmissionRequest, mode: Mode, standard: Standard, allowed: boolean): void {
    const { level, version } = standard;
    const future = Number.isFinite(version) && version > NEWEST;
    this.#evaluations.inc({
      decision: allowed ? 'allow' : 'deny',
      mode,
      policy_level: level,
      policy_version: future ? 'future' : shownVersion(standard),
      ...shownRequest(request),
    });
  }

  exempted(request: AdmissionRequest): void {
    this.#exemptions.inc(shownRequest(request));
  }

  /** Counts a malformed label of a namespace, for which the strictest level was used. */
  misread(request: AdmissionRequest): void {
    this.#errors.inc({ fatal: 'false', ...shownRequest(request) });
  }
}
