import { patchFormat } from '../api/patch-format.ts';
import type { Registry } from '../api/registry.ts';
import type { ResourceHandler, ResourceHandlers } from '../api/resource-handler.ts';
import { storageId } from '../api/resource-set.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { table } from '../base/own-properties.ts';
import { methodNotAllowed, pathNotFound } from '../errors/status-error.ts';
import { apply } from './apply.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { type WatchLimits, watch } from './watch.ts';

/** Answers requests on a resource or subresource that is not a plain view of a stored object. */
export type SpecialHandlers = ReadonlyMap<string, ResourceHandler>;

/** The key of a special handler: `core/pods/eviction`, `authorization/subjectaccessreviews`. */
function specialKey(served: ServedResource, subresource: string): string {
  const { group, plural } = served.stored ?? { group: served.type.group, plural: served.type.plural };
  const id = storageId(group, plural);
  return subresource === '' ? id : `${id}/${subresource}`;
}

/** The key of the handler of all subresources of a kind that is not their resource's own. */
export function viewKey(kind: string): string {
  return `view of ${kind}`;
}

const patchOrApply: typeof patch = (registry, served, context) =>
  (patchFormat(context, served.model) === 'apply' ? apply : patch)(registry, served, context);

/** The verbs of stored resources, the views of their subresources, and the special handlers beside them. */
export function resourceHandlers(registry: Registry, special: SpecialHandlers, limits: WatchLimits): ResourceHandlers {
  const on =
    (
      handle: (
        registry: Registry,
        served: ServedResource,
        context: Parameters<ResourceHandler>[1],
      ) => ReturnType<ResourceHandler>,
    ): ResourceHandler =>
    (served, context) => {
      if (served.stored !== undefined) return handle(registry, served, context);
      const own = special.get(specialKey(served, ''));
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
      watch: on((r, served, context) => watch(r, served, context, limits)),
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
      const own = special.get(specialKey(served, subresource)) ?? special.get(viewKey(type.kind));
      if (own !== undefined) return own(served, context);
      if (type.kind !== served.type.kind) throw pathNotFound();
      const view = views[method];
      if (view === undefined) throw methodNotAllowed();
      return view(served, context);
    },
  };
}
