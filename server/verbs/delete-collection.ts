import { StatusError } from '#base/errors/status-error.ts';
import { inParallel } from '#base/time/in-parallel.ts';
import type { Answer } from '../api/answer.ts';
import { listOptions } from '../api/list-options.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { deleteItem, warnOfOrphans } from './delete.ts';
import { deleteOptions, requireReadable } from './delete-options.ts';
import { listItems } from './list.ts';

/**
 * Answers a DELETE of a collection. It deletes each object in the list of the same query, and answers with that list.
 */
export async function deleteCollection(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const options = await deleteOptions(registry, context);
  requireReadable(options, registry.naming);
  warnOfOrphans(served, options, context);
  const content = await listItems(
    registry,
    served,
    context.info.namespace,
    listOptions(context.query, registry.naming, false),
    () => context.signal,
  );
  await inParallel(content.items, registry.options.deleteWorkers, async (item) => {
    try {
      await deleteItem(registry, served, context, item.key, options);
    } catch (error) {
      // Another client was faster.
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  });
  return { kind: 'list', status: 200, content };
}
