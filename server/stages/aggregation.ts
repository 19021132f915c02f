import type { Logger } from 'pino';
import { ApiServices } from '../aggregation/api-services.ts';
import { defaultPriorities, GroupOrder } from '../aggregation/group-order.ts';
import { LocalServices } from '../aggregation/local-services.ts';
import { RepeatedWork } from '../aggregation/repeated-work.ts';
import type { Registry } from '../api/registry.ts';

/** What brings the groups of other servers behind this address. */
export interface AggregationStage {
  readonly groups: GroupOrder;
  /** Resolves when nothing is under way any more, once `leaving` has been aborted. */
  ended(): Promise<void>;
}

/** Keeps track of who serves what, from a filled cache on until `leaving`. Resolves when what is served here is told. */
export async function aggregate(registry: Registry, log: Logger, leaving: AbortSignal): Promise<AggregationStage> {
  const services = new ApiServices(registry);
  const groups = new GroupOrder(services, defaultPriorities(registry.schema, registry.naming));
  const local = new LocalServices(registry, services);
  await local.keep(true);
  const keeping = new RepeatedWork(
    () => local.keep(),
    'the APIServices of what is served here could not be kept; the next attempt follows',
    log,
    leaving,
  );
  services.onChange(() => keeping.poke());
  const forget = registry.onChange(() => keeping.poke());
  keeping.poke();
  return {
    groups,
    async ended() {
      forget();
      services.stop();
      await keeping.ended();
    },
  };
}
