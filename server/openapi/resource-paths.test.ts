import assert from 'node:assert/strict';
import { MessageDefinitions } from './message-definitions.ts';
import { type Content, type Operation, sharedParameters } from './model.ts';
import { resourcePaths } from './resource-paths.ts';
import { servedByDefault } from './testing/served-by-default.ts';

const served = servedByDefault();
const options = { ...served, definitions: new MessageDefinitions(served.schema, served.naming) };

function pathsOf(short: string, version: string, plural: string) {
  const found = served
    .current()
    .inVersion(served.naming.group(short), version)
    .find(({ type }) => type.plural === plural);
  return resourcePaths(options, found!);
}

function contentName(content: Content): string {
  return content === undefined || content === 'text' ? String(content) : content.name.replace(/.*\./, '');
}

/** `action id(query parameters) body -> 200:Content 201:Content` */
function line(operation: Operation): string {
  const query = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  const body = operation.body === undefined ? '' : ` ${contentName(operation.body.definition)}`;
  const responses = Object.entries(operation.responses).map(([code, content]) => `${code}:${contentName(content)}`);
  return `${operation.action} ${operation.id}(${query.sort().join(' ')})${body} -> ${responses.join(' ')}`;
}

function lines(short: string, version: string, plural: string, path: RegExp): Record<string, string> {
  const found = [...pathsOf(short, version, plural)].filter(([name]) => path.test(name));
  return Object.fromEntries(
    found.flatMap(([name, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method} ${name}`, line(operation)]),
    ),
  );
}

const list =
  'allowWatchBookmarks continue fieldSelector labelSelector limit pretty resourceVersion resourceVersionMatch timeoutSeconds watch';
const write = 'dryRun fieldManager fieldValidation';
const remove = 'dryRun gracePeriodSeconds orphanDependents pretty propagationPolicy';

describe('resourcePaths', () => {
  it('lists the same media types for resources with and without watch', () => {
    const [watchable, alone] = ['configmaps', 'componentstatuses'].map((plural) => {
      const item = [...pathsOf('', 'v1', plural)].find(([name]) => name === `/api/v1/${plural}`)?.[1];
      return item?.get?.produces;
    });
    assert.ok(alone?.includes('application/json;stream=watch'));
    assert.deepEqual(alone, watchable);
  });

  it('has collection, object, all namespaces and watches for a namespaced kind', () => {
    const base = '/apis/apps/v1';
    const inNamespace = `${base}/namespaces/{namespace}/controllerrevisions`;
    const watched = `${base}/watch/namespaces/{namespace}/controllerrevisions`;
    const changed = 'ControllerRevision -> 200:ControllerRevision 201:ControllerRevision';
    const removeAll =
      'continue dryRun fieldSelector gracePeriodSeconds labelSelector limit orphanDependents pretty propagationPolicy ' +
      'resourceVersion resourceVersionMatch timeoutSeconds';
    assert.deepEqual(lines('apps', 'v1', 'controllerrevisions', /./), {
      [`get ${inNamespace}`]: `list listAppsV1NamespacedControllerRevision(${list}) -> 200:ControllerRevisionList`,
      [`post ${inNamespace}`]: `post createAppsV1NamespacedControllerRevision(${write} pretty) ${changed} 202:ControllerRevision`,
      [`delete ${inNamespace}`]: `deletecollection deleteAppsV1CollectionNamespacedControllerRevision(${removeAll}) DeleteOptions -> 200:Status`,
      [`get ${inNamespace}/{name}`]: 'get readAppsV1NamespacedControllerRevision(pretty) -> 200:ControllerRevision',
      [`put ${inNamespace}/{name}`]: `put replaceAppsV1NamespacedControllerRevision(${write} pretty) ${changed}`,
      [`patch ${inNamespace}/{name}`]: `patch patchAppsV1NamespacedControllerRevision(${write} force pretty) Patch -> 200:ControllerRevision 201:ControllerRevision`,
      [`delete ${inNamespace}/{name}`]: `delete deleteAppsV1NamespacedControllerRevision(${remove}) DeleteOptions -> 200:Status 202:Status`,
      [`get ${base}/controllerrevisions`]: `list listAppsV1ControllerRevisionForAllNamespaces(${list}) -> 200:ControllerRevisionList`,
      [`get ${watched}`]: `watchlist watchAppsV1NamespacedControllerRevisionList(${list}) -> 200:WatchEvent`,
      [`get ${watched}/{name}`]: `watch watchAppsV1NamespacedControllerRevision(${list}) -> 200:WatchEvent`,
      [`get ${base}/watch/controllerrevisions`]: `watchlist watchAppsV1ControllerRevisionListForAllNamespaces(${list}) -> 200:WatchEvent`,
    });
  });

  it('has no namespace for a cluster-scoped kind', () => {
    assert.deepEqual(
      Object.keys(lines('rbac.authorization', 'v1', 'clusterroles', /./)).sort(),
      [
        ...['delete', 'get', 'post'].map((method) => `${method} ${rbac('clusterroles')}`),
        ...['delete', 'get', 'patch', 'put'].map((method) => `${method} ${rbac('clusterroles/{name}')}`),
        `get ${rbac('watch/clusterroles')}`,
        `get ${rbac('watch/clusterroles/{name}')}`,
      ].sort(),
    );
  });

  it('has only create for a review', () => {
    const path = `/apis/${served.naming.group('authorization')}/v1/namespaces/{namespace}/localsubjectaccessreviews`;
    const review = 'LocalSubjectAccessReview';
    assert.deepEqual(lines('authorization', 'v1', 'localsubjectaccessreviews', /./), {
      [`post ${path}`]: `post createAuthorizationV1NamespacedLocalSubjectAccessReview(${write} pretty) ${review} -> 200:${review} 201:${review} 202:${review}`,
    });
  });

  it('has the content of the subresource for a subresource', () => {
    const pod = '/api/v1/namespaces/{namespace}/pods/{name}';
    assert.deepEqual(lines('', 'v1', 'pods', /\/(log|eviction|exec|portforward)$/), {
      [`post ${pod}/eviction`]: `post createCoreV1NamespacedPodEviction(${write} pretty) Eviction -> 200:Eviction 201:Eviction 202:Eviction`,
      [`get ${pod}/exec`]:
        'connect connectCoreV1GetNamespacedPodExec(command container stderr stdin stdout tty) -> 200:text',
      [`post ${pod}/exec`]:
        'connect connectCoreV1PostNamespacedPodExec(command container stderr stdin stdout tty) -> 200:text',
      [`get ${pod}/log`]:
        'get readCoreV1NamespacedPodLog(container follow insecureSkipTLSVerifyBackend limitBytes pretty previous ' +
        'sinceSeconds tailLines timestamps) -> 200:text',
      [`get ${pod}/portforward`]: 'connect connectCoreV1GetNamespacedPodPortforward(ports) -> 200:text',
      [`post ${pod}/portforward`]: 'connect connectCoreV1PostNamespacedPodPortforward(ports) -> 200:text',
    });
    const scale = Object.values(lines('apps', 'v1', 'deployments', /scale$/));
    assert.equal(scale[0], 'get readAppsV1NamespacedDeploymentScale(pretty) -> 200:Scale');
    const finalize = Object.keys(lines('', 'v1', 'namespaces', /finalize$/));
    assert.deepEqual(finalize, ['put /api/v1/namespaces/{name}/finalize']);
  });

  it('has all methods and a path parameter for a proxy', () => {
    const proxied = pathsOf('', 'v1', 'nodes').get('/api/v1/nodes/{name}/proxy/{path}')!;
    assert.deepEqual(Object.keys(proxied).sort(), ['delete', 'get', 'head', 'options', 'patch', 'post', 'put']);
    assert.equal(proxied.head!.id, 'connectCoreV1HeadNodeProxyWithPath');
    assert.deepEqual(
      sharedParameters(proxied).map((parameter) => `${parameter.in} ${parameter.name}`),
      ['path name', 'path path', 'query path'],
    );
  });

  it('returns the deleted object for kinds that do so', () => {
    const deletes = Object.entries(lines('', 'v1', 'pods', /\/pods(\/\{name\})?$/)).filter(([key]) =>
      key.startsWith('delete'),
    );
    assert.deepEqual(
      deletes.map(([, text]) => text.replace(/.*-> /, '')),
      ['200:Status', '200:Pod 202:Pod'],
    );
  });
});

function rbac(path: string): string {
  return `/apis/${served.naming.group('rbac.authorization')}/v1/${path}`;
}
