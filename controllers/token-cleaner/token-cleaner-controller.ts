import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Secret } from '#schema/generated/core.v1.ts';
import { bootstrapTokens, tokenEnd } from '../bootstrap-signer/bootstrap-token.ts';
import { controller } from '../controller.ts';

/** Removes the tokens with which machines join after they have expired. */
export const tokenCleanerController = controller({
  name: 'tokencleaner',
  account: 'token-cleaner',
  offByDefault: true,
  needs: [],

  prepare: ({ informers, naming }) => bootstrapTokens(informers, naming),

  start({ client, prepared: copies, queue, log, signal, now }) {
    const keys = queue(async (key) => {
      const copy = copies.get(key);
      if (copy === undefined || copy.metadata.deletionTimestamp) return undefined;
      const left = tokenEnd(copy) - now();
      if (left > 0) return Number.isFinite(left) ? { afterMs: left } : undefined;
      const { namespace, name } = splitKey(key);
      const { uid, resourceVersion } = copy.metadata;
      try {
        await client.resource(coreV1.secrets).in(namespace).delete(name, { preconditions: { uid, resourceVersion } });
        log.info({ namespace, name }, 'deleted an expired bootstrap token');
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return undefined;
    });
    const changed = (secret: Secret) => keys.add(keyOf(secret));
    copies.on({ added: changed, updated: changed }, signal);
  },
});
