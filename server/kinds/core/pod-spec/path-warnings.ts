import type { Release } from '#base/release/release.ts';
import type { Volume, VolumeProjection } from '#schema/generated/core.v1.ts';

/** A path in a volume, and the source that puts a file there. The source is empty if the volume has only one. */
interface PathOf {
  readonly path: string;
  readonly source: string;
}

/** The largest number of paths of a pod that are compared. Each is compared with all earlier paths of its volume. */
const MOST_PATHS = 100;

/** Since 1.32, warnings about files of one volume that would have the same path, or one file in place of a folder. */
export function pathWarnings(volumes: readonly Volume[], release: Release): string[] {
  if (!release.atLeast(32)) return [];
  let left = MOST_PATHS;
  return volumes.flatMap((volume) => {
    const { name = '', configMap, secret, downwardAPI, projected } = volume;
    const of = (source: string, paths: readonly PathOf[]) => {
      const compared = paths.slice(0, left);
      left -= compared.length;
      return overlaps(compared).map((text) => `volume ${JSON.stringify(name)} (${source}): overlapping paths: ${text}`);
    };
    const sources = projected?.sources ?? [];
    const missing = sources
      .filter(isEmpty)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`);
    return [
      ...of(`ConfigMap ${quoted(configMap?.name)}`, pathsOf(configMap?.items)),
      ...of(`Secret ${quoted(secret?.secretName)}`, pathsOf(secret?.items)),
      ...of('DownwardAPI', pathsOf(downwardAPI?.items)),
      ...missing,
      ...of('Projected', sources.flatMap(projectedPaths)),
    ];
  });
}

function isEmpty(source: VolumeProjection): boolean {
  return Object.values(source).every((part) => part == null);
}

/** The paths of a source of a projected volume. */
function projectedPaths(source: VolumeProjection): PathOf[] {
  const { configMap, secret, downwardAPI, serviceAccountToken: token, clusterTrustBundle: bundle } = source;
  if (configMap?.items != null) return pathsOf(configMap.items, `ConfigMap ${quoted(configMap.name)}`);
  if (secret?.items != null) return pathsOf(secret.items, `Secret ${quoted(secret.name)}`);
  if (downwardAPI?.items != null) return pathsOf(downwardAPI.items, 'DownwardAPI');
  if (token != null) return pathsOf([token], 'ServiceAccountToken');
  if (bundle != null) return pathsOf([bundle], `ClusterTrustBundle ${quoted(bundle.name ?? bundle.signerName)}`);
  const { podCertificate: certificate } = source;
  return [
    ...pathsOf([{ path: certificate?.certificateChainPath }], 'PodCertificate chain'),
    ...pathsOf([{ path: certificate?.keyPath }], 'PodCertificate key'),
    ...pathsOf([{ path: certificate?.credentialBundlePath }], 'PodCertificate credential bundle'),
  ];
}

function pathsOf(items: readonly { readonly path?: string | undefined }[] | null | undefined, source = ''): PathOf[] {
  return (items ?? []).map(({ path = '' }) => ({ path: path.replace(/\/+$/, ''), source }));
}

/** The collisions of paths, in the order of the paths. */
function overlaps(paths: readonly PathOf[]): string[] {
  return paths.flatMap((one, i) =>
    paths
      .slice(0, i)
      .filter((other) => one.path !== '' && other.path !== '' && isWithin(one.path, other.path))
      .map((other) => `${shown(one)} with ${shown(other)}`),
  );
}

/** Whether a path is equal to the other one, inside it, or above it. */
function isWithin(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) && (long.length === short.length || long[short.length] === '/');
}

function shown({ path, source }: PathOf): string {
  return source === '' ? quoted(path) : `${quoted(path)} (${source})`;
}

function quoted(text = ''): string {
  return JSON.stringify(text);
}
