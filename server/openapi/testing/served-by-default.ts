import { createNaming } from '#base/naming/create-naming.ts';
import type { NamingProfile } from '#base/naming/naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { noWords } from '#schema/words/load.ts';
import type { WatchCache } from '../../cache/watch-cache.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { builtInResources } from '../../resources/built-in-resources.ts';
import { ResourceSet } from '../../resources/resource-set.ts';
import type { OpenApi } from '../openapi.ts';
import { type Served, ServedDocuments } from '../served-documents.ts';

/** The resources of a server without flags, in the form that documents need. */
export function servedByDefault(profile: NamingProfile = 'orch'): Served {
  const naming = createNaming(profile);
  const schema = loadSchema(naming);
  const { served, stored } = builtInResources({
    schema,
    naming,
    gates: createFeatureGates(new Map()),
    cache: { resource: () => undefined } as unknown as WatchCache,
    rules: new Map(),
    options: { collectsGarbage: true },
    enabled: (_group, _version, _resource, byDefault) => byDefault,
    etcdPrefix: '',
  });
  const resources = ResourceSet.of(served, stored);
  return { schema, naming, current: () => resources };
}

/** The documents of a server without flags. */
export function documentsByDefault(profile: NamingProfile = 'orch'): OpenApi {
  return new ServedDocuments(servedByDefault(profile), noWords).now();
}
