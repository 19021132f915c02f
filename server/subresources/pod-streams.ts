import { badRequest } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { upgradeOf } from '../api/upgrade.ts';
import { admitConnection, type Connections, queryFlag } from './connect/connection.ts';
import { chosenContainer } from './connect/container.ts';
import { relay } from './connect/relay.ts';
import { storedOne } from './connect/stored-one.ts';

/** The request of one of these subresources to the agent on the pod's node. */
interface Stream {
  readonly kind: string;
  /**
   * The options in the query.
   *
   * @throws StatusError (400)
   */
  options(query: URLSearchParams): JsonObject;
  /**
   * The agent's path and query.
   *
   * @throws StatusError (400) if the pod does not have this container
   */
  path(pod: Pod, options: JsonObject): string;
}

/** The agent's names for the streams that exec and attach transport. */
const STREAMS = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;
const STREAM_NAMES = Object.keys(STREAMS) as (keyof typeof STREAMS)[];

const segments = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

const identity = ({ metadata: { namespace = '', name = '' } }: Pod): readonly [string, string] => [namespace, name];

function containerStream(kind: string, word: string): Stream {
  return {
    kind,
    options(query) {
      const options: JsonObject = { container: query.get('container') ?? '' };
      for (const name of STREAM_NAMES) options[name] = queryFlag(query, name);
      if (word === 'exec') options['command'] = query.getAll('command');
      return options;
    },
    path(pod, options) {
      const container = chosenContainer(pod, String(options['container']));
      const query = new URLSearchParams();
      for (const name of STREAM_NAMES) if (options[name] === true) query.set(STREAMS[name], '1');
      for (const part of (options['command'] as string[] | undefined) ?? []) query.append('command', part);
      return `${segments(word, ...identity(pod), container)}${query.size === 0 ? '' : `?${query}`}`;
    },
  };
}

/** The ports to forward, in web socket requests. Other requests name them later, in the stream. */
function ports(query: URLSearchParams): number[] {
  return query.getAll('ports').flatMap((text) =>
    text.split(',').map((port) => {
      const value = Number(port);
      if (!/^\d+$/.test(port) || value < 1 || value > 65535) {
        throw badRequest(`${JSON.stringify(port)} in ports is not a port`);
      }
      return value;
    }),
  );
}

const forward: Stream = {
  kind: 'PodPortForwardOptions',
  options: (query) => ({ ports: ports(query) }),
  path(pod, options) {
    const list = (options['ports'] as number[]).join(',');
    return `${segments('portForward', ...identity(pod))}${list === '' ? '' : `?port=${encodeURIComponent(list)}`}`;
  },
};

function handler(connections: Connections, stream: Stream): ResourceHandler {
  const { registry, agents, credentials, bytesPerSecond } = connections;
  return async (served, context: RequestContext) => {
    const { namespace, name } = context.info;
    const options = stream.options(context.query);
    await admitConnection(registry, served, context, stream.kind, options);
    const pod = await storedOne<Pod>(registry, 'pods', namespace, name);
    const path = stream.path(pod, options);
    const node = pod.spec?.nodeName ?? '';
    if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
    const agent = await agents.find(node);
    if (upgradeOf(context.raw().request) === undefined) throw badRequest('Upgrade request required');
    return relay(context, agent, path, { credentials, bytesPerSecond });
  };
}

/**
 * Connects clients with processes in a pod, and with its ports. The agent on the pod's node makes these connections.
 */
export function podStreamHandlers(connections: Connections): readonly (readonly [string, ResourceHandler])[] {
  return [
    ['core/pods/exec', handler(connections, containerStream('PodExecOptions', 'exec'))],
    ['core/pods/attach', handler(connections, containerStream('PodAttachOptions', 'attach'))],
    ['core/pods/portforward', handler(connections, forward)],
  ];
}
