import type { Logger } from 'pino';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { convertAsDefined } from '../custom-resources/conversion/webhook-converter.ts';
import { Cleanup } from '../custom-resources/serving/cleanup.ts';
import { DefinitionWrites } from '../custom-resources/serving/definition-writes.ts';
import { ServedDefinitions } from '../custom-resources/serving/served-definitions.ts';
import { StatusKeeper } from '../custom-resources/serving/status-keeper.ts';
import { countedCalls } from '../outbound/call-metrics.ts';
import { HttpsPoster } from '../outbound/https-post.ts';
import type { PolicyStage } from './policy.ts';

/** The parts that serve custom kinds. */
export interface CustomResourceStage {
  /** Resolves when all work in progress has ended, after `leaving` has aborted. */
  ended(): Promise<void>;
}

/** Serves the definitions, from a filled cache on until `leaving` aborts. */
export async function serveCustomResources(
  { registry, services }: Pick<PolicyStage, 'registry' | 'services'>,
  metrics: MetricSet,
  log: Logger,
  leaving: AbortSignal,
): Promise<CustomResourceStage> {
  const conversions = {
    naming: registry.naming,
    poster: new HttpsPoster(countedCalls(metrics)),
    durations: metrics.histogram('apiserver_crd_webhook_conversion_duration_seconds'),
    services,
    leaving,
  };
  const definitions = await ServedDefinitions.from(
    registry,
    (live) => (objects, to) => convertAsDefined(live.outline, objects, to, conversions),
  );
  const writes = new DefinitionWrites(registry);
  new StatusKeeper(definitions, writes, log, leaving);
  const cleanup = new Cleanup(registry, definitions, writes, log, leaving);
  return {
    async ended() {
      definitions.stop();
      await cleanup.ended();
    },
  };
}
