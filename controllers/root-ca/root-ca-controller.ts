import { WatchedText } from '#client/connection/watched-text.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { every } from '../every.ts';

const KEY = 'ca.crt';
const DESCRIPTION = 'The authorities by which pods know the API server at its service; they vouch for no other server.';
/** The interval at which the file of the authorities is checked. */
const LOOK_AT_FILE_MS = 60_000;

/**
 * Keeps a config map with the authorities of the API server in every namespace that is not being deleted. Pods use it
 * when they call the API server. An annotation describes the map. The controller does not change labels and other
 * annotations.
 */
export const rootCaController = controller({
  name: 'root-ca-cert-publisher',
  account: 'root-ca-cert-publisher',
  unavailable: (flags) => (flags.get('root-ca-file') === '' ? '--root-ca-file is not given' : undefined),
  needs: [need(coreV1.namespaces, { fields: ['status.phase'] })],

  // All instances have the copy, because the name depends on the product, which is known only here.
  prepare: ({ informers, naming }) =>
    informers.of(coreV1.configmaps, { fields: '*', fieldSelector: `metadata.name=${naming.prefixed('root-ca.crt')}` }),

  start({ client, reader, informer, prepared: copies, queue, flags, naming, log, signal }) {
    const name = naming.prefixed('root-ca.crt');
    const description = naming.key('description');
    const annotations = { [description]: DESCRIPTION };
    const authorities = new WatchedText({ file: flags.get('root-ca-file') });
    const namespaces = informer(coreV1.namespaces);
    const isRight = ({ metadata, data = {} }: ConfigMap) =>
      data[KEY] === authorities.get() && Object.keys(data).length === 1 && metadata.annotations?.[description];

    const names = queue(async (namespace) => {
      const found = namespaces.get(namespace);
      if (found === undefined || found.metadata.deletionTimestamp || found.status?.phase === 'Terminating') return;
      const copy = copies.get(`${namespace}/${name}`);
      if (copy !== undefined && isRight(copy)) return;
      const maps = client.resource(coreV1.configmaps).in(namespace);
      const data = { [KEY]: authorities.get() };
      try {
        if (copy === undefined) {
          await maps.create({ metadata: { name, namespace, annotations }, data });
          log.info({ namespace }, 'created the config map of root certificates');
          return;
        }
        const current = await reader.resource(coreV1.configmaps).in(namespace).get(name);
        if (isRight(current)) return;
        const metadata = { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } };
        await maps.update({ ...current, metadata, data });
        log.info({ namespace }, 'restored the config map of root certificates');
      } catch (error) {
        // Another client was first, or the namespace is being deleted. The cached copy will show the result.
        if (isAlreadyExists(error) || isNamespaceTerminating(error) || isNotFound(error)) return;
        throw error;
      }
    });
    const all = () => {
      for (const { metadata } of namespaces.all()) names.add(metadata.name!);
    };
    const changed = ({ metadata }: { metadata: { name?: string } }) => names.add(metadata.name!);
    namespaces.on({ added: changed, updated: changed }, signal);
    const ofMap = ({ metadata }: { metadata: { namespace?: string } }) => names.add(metadata.namespace!);
    copies.on({ updated: ofMap, deleted: ofMap }, signal);
    every(LOOK_AT_FILE_MS, signal, all);
  },
});
