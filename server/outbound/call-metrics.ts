import { outdatedPart } from '#program/connection/named-certificate.ts';
import type { CountSeries } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';

/** The parts of an answer for the metrics. */
interface CountedAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Calls another server and counts the result. Rejects like the call. */
export type CountedCall = <Answer extends CountedAnswer>(
  what: { readonly method: string; readonly host: string; readonly body: string | undefined },
  call: () => Promise<Answer>,
) => Promise<Answer>;

/** Makes calls without counting them. */
export const notCounted: CountedCall = (_what, call) => call();

/** Counters of certificates that were refused because of an outdated form, for one type of servers. */
export class OutdatedCertificates {
  readonly #series: { readonly name: CountSeries; readonly digest: CountSeries };

  constructor(metrics: MetricSet, servers: 'webhooks' | 'orch_aggregator') {
    this.#series = {
      name: metrics.counter(`apiserver_${servers}_x509_missing_san_total`).of({}),
      digest: metrics.counter(`apiserver_${servers}_x509_insecure_sha1_total`).of({}),
    };
  }

  /** Checks the reason of a failed connection. */
  failed(error: unknown): void {
    const part = outdatedPart(error);
    if (part !== undefined) this.#series[part].inc();
  }
}

/** Counts calls of other servers by `host`. It is a name with its port, unless the port is the scheme's default. */
export function countedCalls(metrics: MetricSet): CountedCall {
  const calls = metrics.counter('rest_client_requests_total');
  const durations = metrics.histogram('rest_client_request_duration_seconds');
  const sent = metrics.histogram('rest_client_request_size_bytes');
  const received = metrics.histogram('rest_client_response_size_bytes');
  const certificates = new OutdatedCertificates(metrics, 'webhooks');
  return async ({ method, host, body }, call) => {
    const started = performance.now();
    const done = (code: string): void => {
      calls.inc({ code, host, method });
      durations.observe({ host, verb: method }, (performance.now() - started) / 1000);
      sent.observe({ host, verb: method }, body === undefined ? 0 : Buffer.byteLength(body));
    };
    try {
      const answer = await call();
      done(String(answer.status));
      received.observe({ host, verb: method }, answer.body.length);
      return answer;
    } catch (error) {
      done('<error>');
      certificates.failed(error);
      throw error;
    }
  };
}
