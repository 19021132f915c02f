import { table } from '#base/collections/own-properties.ts';
import { methodNotAllowed, pathNotFound } from '#base/errors/status-error.ts';
import { patchFormat } from '../api/patch-format.ts';
import type { ResourceHandler, ResourceHandlers } from '../api/resource-handler.ts';
import { hasStored, type ServedResource, type StoredServedResource } from '../api/served-resource.ts';
import { checkHandlers, type SpecialHandlers, specialKey, viewKey } from '../resources/registration.ts';
import type { Registry } from '../resources/registry.ts';
import { apply } from './apply.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

/** The key of a special handler. */
function keyOf({ stored, type }: ServedResource, subresource: string): string {
  return specialKey(stored ?? type, subresource);
}

const patchOrApply: typeof patch = (registry, served, context) =>
  (patchFormat(context, served.model) === 'apply' ? apply : patch)(registry, served, context);

/**
 * The verbs of stored resources, the views of their subresources, and the special handlers.
 *
 * @throws RegistrationError about handlers without a resource, and resources without a handler
 */
export function resourceHandlers(registry: Registry, special: SpecialHandlers): ResourceHandlers {
  checkHandlers(registry.schema, special);
  const on =
    (
      handle: (
        registry: Registry,
        served: StoredServedResource,
        context: Parameters<ResourceHandler>[1],
      ) => ReturnType<ResourceHandler>,
    ): ResourceHandler =>
    (served, context) => {
      if (hasStored(served)) return handle(registry, served, context);
      const own = special.get(keyOf(served, ''));
      if (own === undefined) throw pathNotFound();
      return own(served, context);
    };
  const views: Readonly<Record<string, ResourceHandler>> = table({
    GET: on(get),
    HEAD: on(get),
    PUT: on(update),
    PATCH: on(patchOrApply),
  });
  return {
    verbs: {
      get: on(get),
      list: on(list),
      watch: on(watch),
      create: on(create),
      update: on(update),
      patch: on(patchOrApply),
      delete: on(deleteOne),
      deletecollection: on(deleteCollection),
    },
    async subresource(served, context) {
      const { subresource, method } = context.info;
      const type = served.type.subresources.find((sub) => sub.name === subresource);
      if (type === undefined) throw pathNotFound();
      const own = special.get(keyOf(served, subresource)) ?? special.get(viewKey(type.kind));
      if (own !== undefined) return own(served, context);
      if (type.kind !== served.type.kind) throw pathNotFound();
      const view = views[method];
      if (view === undefined) throw methodNotAllowed();
      return view(served, context);
    },
  };
}
