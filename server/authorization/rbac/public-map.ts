import type { Logger } from 'pino';
import type { Naming } from '#base/naming/naming.ts';
import { sleep } from '#base/time/sleep.ts';
import type { Registry } from '../../resources/registry.ts';
import { ensureBinding, ensureRole } from './ensure-policy.ts';
import type { BootstrapBinding, BootstrapRole } from './policy-objects.ts';

/** The name of the config map with the address of the cluster, for machines that join it. */
const MAP = 'cluster-info';
const LOOK_MS = 250;

/** The role that may read only this map, and the binding that gives it to requests without credentials. */
export function publicMapPolicy(naming: Naming): { readonly role: BootstrapRole; readonly binding: BootstrapBinding } {
  const group = naming.group('rbac.authorization');
  const own = {
    name: naming.translate('orchadm:bootstrap-signer-clusterinfo'),
    namespace: naming.prefixed('public'),
    labels: {},
    annotations: { [naming.key('rbac.authorization/autoupdate')]: 'true' },
  };
  return {
    role: { ...own, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: [MAP] }] },
    binding: {
      ...own,
      subjects: [{ kind: 'User', apiGroup: group, name: 'system:anonymous' }],
      roleRef: { apiGroup: group, kind: 'Role', name: own.name },
    },
  };
}

/**
 * Lets every client read the config map with the cluster's connection data, from its creation until the signal aborts.
 * A machine that joins has no credentials yet, and trusts the data because of the signature of its token. An operator
 * can switch this off: set the annotation `autoupdate` of the role or the binding to false, and change them. The server
 * logs failures and tries again.
 */
export async function keepPublicMapReadable(
  registry: Registry,
  log: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const { role, binding } = publicMapPolicy(registry.naming);
  const maps = registry.stored('', 'configmaps').cache;
  const key = `${role.namespace}/${MAP}`;
  let seen = -1;
  while (!signal.aborted) {
    const { frontier } = registry.cache;
    if (frontier !== seen) {
      try {
        if (maps.get(key) !== undefined) {
          await ensureRole(registry, role);
          await ensureBinding(registry, binding);
        }
        seen = frontier;
      } catch (error) {
        log.warn(
          { err: error },
          'the config map of connection data could not be made readable for all clients; the next attempt follows',
        );
      }
    }
    await sleep(LOOK_MS, signal);
  }
}
