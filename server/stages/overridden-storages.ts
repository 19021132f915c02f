import { ConfigError } from '#base/errors/config-error.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { EtcdOverride } from '../config/options.ts';
import type { StorageOf } from './storages.ts';

/**
 * Resources that must stay in the main store, for one of three reasons. Other objects are written in one transaction
 * with them. Other objects are written on a condition about them. Or the permissions of clients depend on them at one
 * revision.
 */
const STAY: ReadonlySet<string> = new Set([
  'admissionregistration/mutatingwebhookconfigurations',
  'admissionregistration/validatingwebhookconfigurations',
  'apiextensions/customresourcedefinitions',
  'apiregistration/apiservices',
  'core/limitranges',
  'core/namespaces',
  'core/nodes',
  'core/pods',
  'core/resourcequotas',
  'core/secrets',
  'core/serviceaccounts',
  'core/services',
  'flowcontrol.apiserver/flowschemas',
  'flowcontrol.apiserver/prioritylevelconfigurations',
  'policy/poddisruptionbudgets',
  'rbac.authorization/clusterrolebindings',
  'rbac.authorization/clusterroles',
  'rbac.authorization/rolebindings',
  'rbac.authorization/roles',
]);

/**
 * The addresses of the separate stores of resources, by storage identity.
 * @throws ConfigError
 */
export function overriddenStorages(
  overrides: readonly EtcdOverride[],
  storageOf: StorageOf,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { group, plural, servers } of overrides) {
    const mistake = (what: string) =>
      new ConfigError(`invalid value for flag --etcd-servers-overrides: ${group}/${plural} ${what}`);
    const storage = storageOf(group, plural);
    if (storage === undefined) throw mistake('is no built-in resource');
    const id = storageId(storage.group, storage.plural);
    if (id !== storageId(group, plural))
      throw mistake(`is stored as ${storage.group}/${storage.plural}: name that instead`);
    if (STAY.has(id)) throw mistake('has to be where most objects are: others are written together with it');
    if (found.has(id)) throw mistake('is named twice');
    found.set(id, servers);
  }
  return found;
}
