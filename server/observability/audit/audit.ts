import type { Naming } from '#base/naming/naming.ts';
import { attributesOf } from '../../api/attributes.ts';
import type { AuditRecord } from '../../api/audit-record.ts';
import type { Auditor } from '../../api/auditor.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { AuditEntry } from './audit-event.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditBackend } from './backend.ts';
import type { AuditPolicy } from './policy.ts';
import { RequestAudit } from './request-audit.ts';

/** Records requests according to the policy, in all backends. */
export class Audit implements Auditor {
  readonly #policy: AuditPolicy;
  readonly #backends: readonly AuditBackend[];
  readonly #metrics: AuditMetrics;
  readonly #patchAnnotations: string;
  readonly #truncated: string;
  readonly #latencyKey: (part: string) => string;
  readonly #close: () => Promise<void>;

  /** @param close ends the outputs of the backends */
  constructor(
    policy: AuditPolicy,
    backends: readonly AuditBackend[],
    metrics: AuditMetrics,
    naming: Naming,
    close: () => Promise<void>,
  ) {
    this.#policy = policy;
    this.#backends = backends;
    this.#metrics = metrics;
    this.#truncated = naming.key('audit/truncated');
    this.#patchAnnotations = naming.key('patch.webhook.admission/');
    this.#latencyKey = (part) => naming.key(`apiserver.latency/${part}`);
    this.#close = close;
  }

  begin(context: RequestContext): AuditRecord | undefined {
    return this.#record(context, {});
  }

  beginRefused(context: RequestContext): AuditRecord | undefined {
    return this.#record(context, { refused: true });
  }

  rejected(): void {
    this.#metrics.rejected();
  }

  /** Sends the waiting events. After that, no more may be recorded. */
  async stop(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.stop()));
    await this.#close();
  }

  #record(context: RequestContext, kind: { readonly refused?: true }): AuditRecord | undefined {
    const attributes = attributesOf(context);
    const decision = this.#policy.decide(attributes);
    this.#metrics.decided(decision?.level ?? 'None');
    if (decision === undefined || decision.level === 'None') return undefined;
    return new RequestAudit({
      context,
      attributes,
      decision,
      patchAnnotations: this.#patchAnnotations,
      truncated: this.#truncated,
      latencyKey: this.#latencyKey,
      emit: (entry) => this.#emit(entry),
      ...kind,
    });
  }

  #emit(entry: AuditEntry): boolean | Promise<boolean> {
    this.#metrics.emitted();
    const outcomes = this.#backends.map((backend) => backend.process(entry));
    if (outcomes.every((outcome) => typeof outcome === 'boolean')) return !outcomes.includes(false);
    return Promise.all(outcomes).then((kept) => !kept.includes(false));
  }
}
