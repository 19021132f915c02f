import { table } from '#base/collections/own-properties.ts';
import {
  badRequest,
  methodNotAllowed,
  notFound,
  pathNotFound,
  qualified,
  verbNotSupported,
} from '#base/errors/status-error.ts';
import type { Answer } from '../api/answer.ts';
import { pageNotFound } from '../api/answer.ts';
import { isConnected } from '../api/connected.ts';
import type { Handler } from '../api/filter.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import { negotiate } from '../api/negotiation.ts';
import { patchFormat } from '../api/patch-format.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { ResourceHandlers, Routes } from '../api/resource-handler.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { ServedResources } from '../api/served-resources.ts';
import { StaleDefinition } from '../api/write-condition.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';

const SUBRESOURCE_VERBS: Readonly<Record<string, string>> = table({
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
});

/** A method that subresources accept if they accept all of those verbs. */
const BEYOND_VERBS = 'OPTIONS';

/** Subresources that forward any path after them. */
const OPEN_ENDED = new Set(['proxy']);

/** Subresources that tables can show, because they are views of an object for people. */
const SHOWN = new Set(['status', 'scale']);

/** Verbs that need the name of an object. */
const ON_OBJECTS = new Set(['get', 'update', 'patch', 'delete']);

/**
 * Checks that the resource has this path.
 *
 * @throws StatusError (404, 405)
 */
function checkPath(served: ServedResource, context: RequestContext): void {
  const { namespace, inNamespace, name, subresource, parts, verb, method } = context.info;
  const { type } = served;
  if (!type.namespaced && inNamespace) throw pathNotFound();
  if (type.namespaced && namespace === '' && name !== '' && !inNamespace) throw pathNotFound();
  if (parts.length > 3 && !OPEN_ENDED.has(subresource)) throw pathNotFound();
  if (subresource !== '') {
    const known = type.subresources.find((sub) => sub.name === subresource);
    if (known === undefined || context.info.deprecatedWatch) throw pathNotFound();
    const open = method === BEYOND_VERBS && OPEN_ENDED.has(subresource);
    if (!open && !known.verbs.includes(SUBRESOURCE_VERBS[method] ?? '')) throw methodNotAllowed();
    checkNamespace(served, context);
    return;
  }
  const virtual = served.stored === undefined;
  const anywhere = type.namespaced && namespace === '' && name === '' && !inNamespace;
  // Resources that can only be created exist only in a namespace. Only watchable resources have the old paths of
  // watches.
  if (context.info.deprecatedWatch && !type.verbs.includes('watch')) throw pathNotFound();
  if (anywhere && !type.verbs.includes('list')) throw pathNotFound();
  if (name !== '' && virtual && !type.verbs.includes('get')) throw pathNotFound();
  if (verb === 'watch' && method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  if ((name !== '' && method === 'POST') || (name === '' && ON_OBJECTS.has(verb))) throw methodNotAllowed();
  if (!type.verbs.includes(verb) && !isUnwatchableList(served, context)) throw methodNotAllowed();
  if (anywhere && verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
  checkNamespace(served, context);
}

/**
 * Checks an empty namespace. It means all namespaces for a list, and no namespace for other verbs.
 *
 * @throws StatusError (400, 405)
 */
function checkNamespace({ type }: ServedResource, { info: { namespace, name, verb } }: RequestContext): void {
  if (!type.namespaced || namespace !== '' || verb === 'list' || verb === 'watch') return;
  if (name !== '') throw badRequest('Namespace parameter required.');
  if (verb === 'create') throw badRequest('an empty namespace may not be set during creation');
  throw methodNotAllowed();
}

/**
 * Like {@link checkPath}, for custom kinds. For these, clients expect other answers: a plain page for an unknown path,
 * and refusals that name the kind. Returns an answer if the path alone decides it.
 */
function checkCustomPath(served: ServedResource, { info }: RequestContext): Answer | undefined {
  const { namespace, name, subresource, verb, method } = info;
  const { type } = served;
  const subject = subjectOf(served);
  const acrossNamespaces = type.namespaced && (verb === 'list' || verb === 'watch');
  if (type.namespaced !== (namespace !== '') && !acrossNamespaces) return pageNotFound();
  const known = subresource === '' ? type : type.subresources.find((sub) => sub.name === subresource);
  if (known === undefined) throw notFound(subject, name);
  const asked = subresource === '' ? verb : (SUBRESOURCE_VERBS[method] ?? '');
  if (!known.verbs.includes(asked)) {
    const error = verbNotSupported(subject, asked);
    error.status.message = `${asked} is not supported on resources of kind ${JSON.stringify(qualified(subject))}`;
    throw error;
  }
  if (name === '' && ON_OBJECTS.has(verb)) throw badRequest('name must be provided');
  return undefined;
}

/** Adds a warning for the client, and a note in the audit log, that the version is deprecated. */
function noteDeprecation({ naming }: Registry, { type }: ServedResource, text: string, context: RequestContext): void {
  context.warnings.add(text);
  context.annotations.set(naming.key('deprecated'), 'true');
  if (type.removedRelease !== undefined) context.annotations.set(naming.key('removed-release'), type.removedRelease);
}

/**
 * Whether this is a watch of a resource that can only be listed. The path exists, because it is the path of the list.
 */
function isUnwatchableList({ type: { verbs } }: ServedResource, { info }: RequestContext): boolean {
  const listed = info.verb === 'watch' && info.name === '' && !info.deprecatedWatch && verbs.includes('list');
  return listed && !verbs.includes('watch');
}

/** Whether a path starts with empty segments. It names nothing, but is authorized like any other path. */
const EMPTY_START = /^\/(?:apis\/)?\//;

/** How often a request is handled again because the served resources changed during its write. */
const ATTEMPTS = 5;

/** Whether the group, version or resource in a path is served. */
function isServed(resources: ServedResources, { isResource, path, group, version, resource }: RequestInfo): boolean {
  if (isResource) return resources.find(group, version, resource) !== undefined;
  const [prefix, ofGroup, ofVersion] = path.split('/').filter((part) => part !== '');
  if (prefix !== 'apis' || ofGroup === undefined) return true;
  return ofVersion === undefined ? resources.group(ofGroup) !== undefined : resources.hasVersion(ofGroup, ofVersion);
}

/**
 * Whether a path lists what users define. If something is missing in the answer, clients assume that it does not exist.
 */
function listsDefinitions(resources: ServedResources, { isResource, path }: RequestInfo): boolean {
  if (isResource || !path.startsWith('/apis')) return false;
  const [prefix, ofGroup] = path.split('/').filter((part) => part !== '');
  if (prefix !== 'apis' || ofGroup === undefined) return prefix === 'apis';
  const [version] = resources.group(ofGroup)?.versions ?? [];
  return version !== undefined && resources.inVersion(ofGroup, version)[0]?.isCustom === true;
}

/**
 * The end of the chain. It finds the resource or route of a path and lets it answer. Before the server answers that a
 * resource is unknown, it looks again in a state as new as the request. If the definition of a resource changed during
 * a write, the write starts again.
 */
export function dispatcher(registry: Registry, handlers: ResourceHandlers, routes: Routes): Handler {
  const catchUp = (info: RequestInfo): Promise<void> | undefined => {
    const resources = registry.current();
    if (!isServed(resources, info)) return registry.catchUp();
    // Without etcd, clients still reach resources of other servers.
    return listsDefinitions(resources, info) ? registry.catchUp()?.catch(() => undefined) : undefined;
  };
  const answerElsewhere = async (context: RequestContext, resources: ServedResources): Promise<Answer> => {
    const { isResource, group } = context.info;
    const found = await routes(context);
    if (found !== undefined) return found;
    if (!isResource || resources.group(group) === undefined) return pageNotFound();
    if (registry.naming.shortGroup(group) === undefined) return pageNotFound();
    throw pathNotFound();
  };
  const answer = (context: RequestContext): MaybePromise<Answer> => {
    const { info } = context;
    const resources = registry.current();
    context.resources = resources;
    const { isResource, group, version, resource, subresource, verb } = info;
    if (EMPTY_START.test(info.path)) return pageNotFound();
    if (isResource && (info.hasGaps || verb === 'proxy')) throw pathNotFound();
    const served = isResource ? resources.find(group, version, resource) : undefined;
    if (served === undefined) return answerElsewhere(context, resources);
    if (served.isCustom === true) {
      const decided = checkCustomPath(served, context);
      if (decided !== undefined) return decided;
    } else checkPath(served, context);
    if (verb === 'patch' && !isConnected(info)) patchFormat(context, served.model);
    context.served = served;
    if (isConnected(info)) return handlers.subresource(served, context);
    const collection = info.name === '' && (verb === 'list' || verb === 'watch');
    context.form = negotiate(context.header('accept'), context.query, context.header('user-agent'), registry.naming, {
      transforms: true,
      tables: subresource === '' ? served.type.verbs.some((known) => known !== 'create') : SHOWN.has(subresource),
      watchable: collection,
      streams: verb === 'watch',
      protobuf: served.model.message !== undefined,
      ranges: served.isCustom === true,
    });
    if (served.type.deprecation !== undefined) noteDeprecation(registry, served, served.type.deprecation, context);
    if (subresource !== '') return handlers.subresource(served, context);
    if (isUnwatchableList(served, context)) throw verbNotSupported(subjectOf(served), verb);
    const handler = handlers.verbs[verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(served, context);
  };
  return async (context) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const caughtUp = catchUp(context.info);
        if (caughtUp !== undefined) await caughtUp;
        return await answer(context);
      } catch (error) {
        if (!(error instanceof StaleDefinition)) throw error;
        if (attempt === ATTEMPTS) throw error.condition.refusal();
        await error.condition.renew();
      }
    }
  };
}
