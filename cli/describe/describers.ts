import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { Describer } from './describer.ts';

/** Descriptions of single kinds, by the plural and the short form of the group: loaded when they are wanted. */
const describers: ReadonlyMap<string, () => Promise<Describer>> = new Map<string, () => Promise<Describer>>([
  ['secrets', async () => (await import('./secret.ts')).describeSecret],
  ['serviceaccounts', async () => (await import('./service-account.ts')).describeServiceAccount],
  ['configmaps', async () => (await import('./config-map.ts')).describeConfigMap],
]);

/** The describer of a type; that of objects of any kind where it has none of its own. */
export async function describerOf({ plural, group }: DiscoveredType): Promise<Describer> {
  const own = describers.get(group === '' ? plural : `${plural}.${group.split('.')[0]}`);
  return own === undefined ? (await import('./generic.ts')).describeAny : own();
}
