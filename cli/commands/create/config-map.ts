import { configMapData } from '../../content/config-map-data.ts';
import { nameHash } from '../../content/name-hash.ts';
import { configMapWords, readSources, sourceFlags, sourcesOf } from '../../content/sources.ts';
import type { Generator } from './generator.ts';

export const configMap: Generator = {
  ...{ name: 'configmap', aliases: ['cm'] },
  short: 'Create a config map from a local file, directory or literal value',
  usage: '[--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]',
  examples:
    '# Two values\n{} create configmap settings --from-literal=color=red --from-literal=size=5\n\n# The files of a folder\n{} create configmap settings --from-file=conf.d/',
  flags: sourceFlags,
  ...{ apiVersion: 'v1', kind: 'ConfigMap', namespaced: true },
  failure: 'failed to create configmap:',
  describe: (name, { flags }) => {
    const { data, binaryData } = configMapData(readSources(sourcesOf(flags), configMapWords(name)));
    const described = { ...(binaryData === undefined ? {} : { binaryData }), ...(data === undefined ? {} : { data }) };
    if (!flags.bool('append-hash')) return described;
    const hash = nameHash({
      ...(binaryData === undefined ? {} : { binaryData }),
      ...{ data: data ?? {}, kind: 'ConfigMap', name },
    });
    return { metadata: { name: `${name}-${hash}` }, ...described };
  },
};
