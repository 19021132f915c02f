import { loadSchema } from '#schema/descriptors/load.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import type { KindRules } from '../api/resource-definition.ts';
import { knownApis } from '../config/known-apis.ts';
import type { ServerOptions } from '../config/options.ts';
import { createDefinitionRules } from '../custom-resources/definition/definition-kind.ts';
import { createReadMetadata } from '../custom-resources/schema/read-metadata.ts';
import { kindRules } from '../kinds/index.ts';
import { checkRules } from '../resources/registration.ts';

/** The built-in kinds of this program. Nothing in it needs to be stopped. */
export interface BuiltInKinds {
  readonly schema: Schema;
  /** The keys are storage identities. */
  readonly rules: ReadonlyMap<string, KindRules>;
  readonly serviceRanges: ServiceRanges;
}

/**
 * Whether cluster IPs and their ranges are objects. They are in every release that has these kinds, unless the gate is
 * off.
 */
function showsAddresses({ release, gates }: Pick<ServerOptions, 'release' | 'gates'>): boolean {
  return release.atLeast(33) && gates.enabled('MultiCIDRServiceAllocator');
}

/**
 * Reads `proto/` and adds the rules of kinds.
 * @throws ConfigError about flags that name unknown kinds; RegistrationError about rules that belong to no kind
 */
export function builtInKinds({ naming, release, gates, ...options }: ServerOptions): BuiltInKinds {
  const schema = loadSchema(naming, release);
  options.runtimeConfig.check(knownApis(schema));
  const serviceRanges = new ServiceRanges({
    clusterIpRanges: options.serviceClusterIpRanges,
    nodePortRange: options.serviceNodePortRange,
    reserveStatic: gates.enabled('ServiceIPStaticSubrange'),
    showsAddresses: showsAddresses({ release, gates }),
  });
  const readMetadata = createReadMetadata(schema.message('meta.v1.ObjectMeta'));
  const definitions = createDefinitionRules({ naming, release, readMetadata });
  const rules = new Map(kindRules({ ...servicesOf(serviceRanges), release, eventTtlSeconds: options.eventTtlSeconds }));
  rules.set(storageId(definitions.group, definitions.plural), definitions as KindRules);
  checkRules(schema, rules, { naming, release, now: 0 });
  return { schema, rules, serviceRanges };
}
