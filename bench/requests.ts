import type { Naming } from '#base/naming/naming.ts';
import type { Client } from './client.ts';
import { type Request, repeat } from './measure.ts';
import { pod } from './pod.ts';

/** The namespace that everything of a measurement lies in. */
export const NAMESPACE = '/api/v1/namespaces/bench';

/** One kind of measured request. */
export interface Work {
  readonly work: string;
  /** Processor time of the server that it should cost, in milliseconds. */
  readonly goal?: number;
  /** Clients that send it at the same time. */
  readonly clients: number;
  readonly count: number;
  readonly request: Request;
  /**
   * Sent first, so that the engine compiles the code of the request. Absent if the measurement itself has enough
   * requests.
   */
  readonly warming?: Request;
}

/** Makes the namespace and its pods `pod-00000` and on. */
export async function loadPods(client: Client, pods: number): Promise<void> {
  await client.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench' } } });
  // no controller makes it here
  await client.call('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'default' } } });
  await repeat(pods, (n) => client.call('POST', `${NAMESPACE}/pods`, { body: pod(n) }));
}

/** The number of config maps, which the bench writes one after the other. */
const MAPS = 500;

/** Text of a length that is another one for each number. */
function varied(n: number, length: number): string {
  return `${n} ${n * 31} ${n * 17} `.repeat(Math.ceil(length / 6)).slice(0, length);
}

/** The path of one of the pods. */
export function onePod(n: number, pods: number): string {
  return `${NAMESPACE}/pods/pod-${String(n % pods).padStart(5, '0')}`;
}

/** Reads of what `loadPods` made. */
export async function reads(client: Client, naming: Naming, pods: number): Promise<Work[]> {
  const all = `${NAMESPACE}/pods`;
  const get = (path: string, headers: Record<string, string> = {}) => client.call('GET', path, { headers });
  const first = await client.call('GET', `${all}?limit=500`, { text: true });
  const next = (JSON.parse(first.text) as { metadata: { continue?: string } }).metadata.continue ?? '';
  const table = `application/json;as=Table;v=v1;g=${naming.group('meta')}`;
  return [
    { work: 'GET one, most recent', goal: 0.1, clients: 16, count: 20_000, request: (n) => get(onePod(n, pods)) },
    { work: 'GET one, most recent, 1 client', clients: 1, count: 2000, request: (n) => get(onePod(n, pods)) },
    {
      ...{ work: 'GET one, any version', goal: 0.06, clients: 16, count: 20_000 },
      request: (n) => get(`${onePod(n, pods)}?resourceVersion=0`),
    },
    { work: 'LIST all, most recent', goal: 15, clients: 4, count: 100, request: () => get(all) },
    {
      // Each request selects another value. After 100 requests, the order of the values changes.
      ...{ work: 'LIST by label, 1 % match', goal: 0.4, clients: 16, count: 2000 },
      request: (n) => get(`${all}?labelSelector=app%3Dapp-${(n * 37 + Math.floor(n / 100)) % 100}`),
    },
    { work: 'page of 500, first', goal: 2, clients: 4, count: 400, request: () => get(`${all}?limit=500`) },
    {
      ...{ work: 'page of 500, second', goal: 2, clients: 4, count: 400 },
      request: () => get(`${all}?limit=500&continue=${next}`),
    },
    { work: 'LIST all, gzip', clients: 4, count: 20, request: () => get(all, { 'Accept-Encoding': 'gzip' }) },
    {
      work: 'LIST all, protobuf',
      clients: 4,
      count: 40,
      request: () => get(all, { Accept: naming.protobufMediaType }),
    },
    { work: 'LIST all, Table', clients: 4, count: 20, request: () => get(all, { Accept: table }) },
  ];
}

/** Writes; makes the config maps that they change. */
export async function writes(client: Client, pods: number): Promise<Work[]> {
  let made = pods;
  const create = (query: string) => client.call('POST', `${NAMESPACE}/pods${query}`, { body: pod(made++) });
  const maps = `${NAMESPACE}/configmaps`;
  const name = (n: number) => `c${n % MAPS}`;
  const send = (method: string, n: number, query: string, body: unknown, type = 'application/json') =>
    client.call(method, `${maps}/${name(n)}${query}`, { body, headers: { 'Content-Type': type } });
  const put: Request = (n) =>
    send('PUT', n, '', { metadata: { name: name(n) }, data: { n: String(n), text: varied(n, 500) } });
  const patch: Request = (n) => send('PATCH', n, '', { data: { p: String(n) } }, 'application/merge-patch+json');
  const apply: Request = (n) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name(n) }, data: { a: String(n) } };
    return send('PATCH', n, '?fieldManager=bench&force=true', body, 'application/apply-patch+yaml');
  };
  await repeat(MAPS, (n) => client.call('POST', maps, { body: { metadata: { name: name(n) }, data: { n: '0' } } }));
  const of = { clients: 16, count: 3000 };
  return [
    { work: 'create a pod', goal: 0.7, ...of, request: () => create(''), warming: () => create('?dryRun=All') },
    { work: 'update a config map', goal: 0.55, ...of, request: put, warming: put },
    { work: 'merge patch', ...of, request: patch, warming: patch },
    { work: 'server-side apply', goal: 0.8, ...of, request: apply, warming: apply },
  ];
}
