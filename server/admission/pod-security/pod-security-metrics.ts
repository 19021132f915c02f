import { Counter, type Metric } from 'prom-client';
import type { AdmissionRequest } from '../../api/admission.ts';
import { table } from '../../base/own-properties.ts';
import { type Mode, type Standard, shownVersion } from './policy.ts';

/** The minor number of the newest release whose standards this server knows. */
const NEWEST = 25;
const KINDS: Readonly<Record<string, string>> = table({ pods: 'pod', namespaces: 'namespace' });
const REQUEST = ['request_operation', 'resource', 'subresource'] as const;

function shownRequest({ operation, served, subresource }: AdmissionRequest): Record<(typeof REQUEST)[number], string> {
  const resource = KINDS[served.type.plural] ?? 'controller';
  return { request_operation: operation.toLowerCase(), resource, subresource };
}

/** What became of the pods that were evaluated, named as operators of this field know it. */
export class PodSecurityMetrics {
  readonly #evaluations = new Counter({
    name: 'pod_security_evaluations_total',
    help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labelNames: ['decision', 'mode', 'policy_level', 'policy_version', ...REQUEST],
    registers: [],
  });
  readonly #exemptions = new Counter({
    name: 'pod_security_exemptions_total',
    help: 'Number of exempt requests, not counting ignored or out of scope requests.',
    labelNames: [...REQUEST],
    registers: [],
  });
  readonly #errors = new Counter({
    name: 'pod_security_errors_total',
    help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labelNames: ['fatal', ...REQUEST],
    registers: [],
  });

  /** To be registered where metrics are answered. */
  get all(): readonly Metric[] {
    return [this.#evaluations, this.#exemptions, this.#errors];
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

  /** The labels of a namespace could not be read: the strictest level was used instead. */
  misread(request: AdmissionRequest): void {
    this.#errors.inc({ fatal: 'false', ...shownRequest(request) });
  }
}
