import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { controller, need } from '../controller.ts';

/** The account of pods that name none. */
const NAME = 'default';

/** Keeps an account named `default` in every namespace that is not being deleted. */
export const serviceAccountController = controller({
  name: 'serviceaccount',
  account: 'service-account-controller',
  needs: [need(coreV1.namespaces, { fields: ['status.phase'] }), need(coreV1.serviceaccounts, { fields: ['secrets'] })],

  start({ client, informer, queue, log, signal }) {
    const namespaces = informer(coreV1.namespaces);
    const accounts = informer(coreV1.serviceaccounts);
    const names = queue(async (namespace) => {
      const found = namespaces.get(namespace);
      if (found === undefined || found.metadata.deletionTimestamp || found.status?.phase === 'Terminating') return;
      if (accounts.get(`${namespace}/${NAME}`) !== undefined) return;
      try {
        await client
          .resource(coreV1.serviceaccounts)
          .in(namespace)
          .create({ metadata: { name: NAME, namespace } });
        log.info({ namespace }, 'created the default service account');
      } catch (error) {
        // Another client was first, or the namespace is being deleted. There is nothing left to do.
        if (isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error)) return;
        throw error;
      }
    });
    namespaces.on(
      { added: (object) => names.add(object.metadata.name!), updated: (object) => names.add(object.metadata.name!) },
      signal,
    );
    accounts.on({ deleted: ({ metadata }) => metadata.name === NAME && names.add(metadata.namespace!) }, signal);
  },
});
