import { isUtf8 } from 'node:buffer';
import { nameHash } from '../../content/name-hash.ts';
import { configMapWords, readSources, sourceFlags, sourcesOf } from '../../content/sources.ts';
import type { Generator } from './generator.ts';

/** Bytes that are text go to `data`, others in base64 to `binaryData`. */
export function configMapData(values: ReadonlyMap<string, Buffer>): {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
} {
  const [data, binaryData]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const [key, value] of [...values].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isUtf8(value)) data[key] = value.toString();
    else binaryData[key] = value.toString('base64');
  }
  return {
    ...(Object.keys(binaryData).length === 0 ? {} : { binaryData }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

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
