import type { ResourceHandler } from '../api/resource-handler.ts';
import { upgradeOf } from '../api/upgrade.ts';
import { authorityOf } from '../outbound/backend.ts';
import { admitConnection, type Connections } from './connect/connection.ts';
import { relay } from './connect/relay.ts';
import { behindPrefix, splitPath } from './connect/target-name.ts';
import { type FindTarget, findNode, findPod, findService } from './proxy-targets.ts';

function handler(connections: Connections, kind: string, find: FindTarget): ResourceHandler {
  const { registry, credentials, bytesPerSecond } = connections;
  return async (served, context) => {
    const { namespace, name, method } = context.info;
    const { prefix, rest } = splitPath(context.info);
    await admitConnection(registry, served, context, kind, { path: rest });
    const backend = await find(connections, namespace, name);
    const { request } = context.raw();
    const [, query = ''] = /^[^?]*(\?.*)?$/s.exec(request.url ?? '') ?? [];
    if (rest === '' && (method === 'GET' || method === 'HEAD') && upgradeOf(request) === undefined) {
      // Relative links in the pages of the backend only work if the path ends with a slash.
      return { kind: 'empty', status: 301, headers: { Location: `${prefix}/${query}` } };
    }
    const location = (target: string): string => behindPrefix(target, authorityOf(backend), prefix);
    return relay(context, backend, `${rest === '' ? '/' : rest}${query}`, { credentials, location, bytesPerSecond });
  };
}

/** Forwards requests to pods, services and nodes. */
export function proxyHandlers(connections: Connections): readonly (readonly [string, ResourceHandler])[] {
  return [
    ['core/pods/proxy', handler(connections, 'PodProxyOptions', findPod)],
    ['core/services/proxy', handler(connections, 'ServiceProxyOptions', findService)],
    ['core/nodes/proxy', handler(connections, 'NodeProxyOptions', findNode)],
  ];
}
