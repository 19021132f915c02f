import { KubeConfig, type KubernetesListObject, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { connect } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import { apiRequest } from '#scripts/api-request.ts';
import type { Pki } from '#scripts/pki.ts';

/** The parts of an object that the drill reads. */
export interface Shown {
  readonly metadata?: {
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** Called with each new or changed object. */
export type Told = (object: Shown) => void;

/** A copy of the config maps of a namespace, kept by a client library. */
export interface Follower {
  readonly name: string;
  /** The number of times that the library has listed all objects again, if it reports that. */
  readonly lists: () => number;
  /** The objects that it has now. */
  readonly objects: () => Iterable<Shown>;
  readonly stop: () => Promise<void>;
}

/**
 * A follower that uses an independent library. After an error it starts again, as the library's documentation
 * recommends.
 */
export async function followWithTheirs(pki: Pki, port: number, path: string, told: Told): Promise<Follower> {
  const config = new KubeConfig();
  const base64 = (name: string): string => Buffer.from(pki.read(name)).toString('base64');
  config.loadFromClusterAndUser(
    { name: 'cluster', server: `https://127.0.0.1:${port}`, caData: base64('ca.crt'), skipTLSVerify: false },
    { name: 'admin', certData: base64('admin.crt'), keyData: base64('admin.key') },
  );
  let lists = 0;
  let ending = false;
  const list = async (): Promise<KubernetesListObject<V1ConfigMap>> => {
    const { status, body } = await apiRequest(pki, port, 'GET', path);
    if (status !== 200) throw new Error(`the list gets ${status}`);
    lists++;
    return JSON.parse(body);
  };
  const informer = makeInformer(config, path, list);
  informer.on('add', told);
  informer.on('update', told);
  const start = (): void => void informer.start().catch(again);
  const again = (): void => void (ending || setTimeout(start, 100));
  informer.on('error', again);
  await informer.start();
  return {
    name: '@kubernetes/client-node',
    lists: () => lists,
    objects: () => informer.list(),
    stop: async () => {
      ending = true;
      await informer.stop();
    },
  };
}

/** A follower that uses this project's library. */
export async function followWithOurs(pki: Pki, port: number, namespace: string, told: Told): Promise<Follower> {
  const [ca, clientCertificate, clientKey] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => ({
    file: pki.file(name),
  }));
  const client = await connect({
    cluster: { server: `https://127.0.0.1:${port}`, ca: ca! },
    user: { clientCertificate: clientCertificate!, clientKey: clientKey! },
  });
  const stop = new AbortController();
  const informers = new SharedInformers(client);
  const copy = informers.of(coreV1.configmaps, { fields: ['data'] });
  const mine = (object: Shown & { metadata: { namespace?: string } }): void => {
    if (object.metadata.namespace === namespace) told(object);
  };
  copy.on({ added: mine, updated: mine });
  informers.start(stop.signal);
  await informers.ready();
  return {
    name: 'client/',
    lists: () => Number.NaN,
    objects: () => [...copy.all()].filter(({ metadata }) => metadata.namespace === namespace),
    stop: async () => {
      stop.abort();
      await client.close();
    },
  };
}
