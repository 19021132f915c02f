import { table } from '#base/collections/own-properties.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';

/**
 * Adds finalizers to volumes, claims and classes of volumes, so that a deleted one stays until it is no longer used.
 */
export function storageObjectInUseProtection({ naming }: PluginEnvironment): AdmissionPlugin {
  const finalizers: Readonly<Record<string, string>> = table({
    '/persistentvolumeclaims': naming.key('pvc-protection'),
    '/persistentvolumes': naming.key('pv-protection'),
    'storage/volumeattributesclasses': naming.key('vac-protection'),
  });
  return {
    name: 'StorageObjectInUseProtection',
    handles: ({ operation, group, resource, subresource }) =>
      operation === 'CREATE' && subresource === '' && Object.hasOwn(finalizers, `${group}/${resource}`),
    mutate({ object, served }) {
      const { metadata } = object!;
      const finalizer = finalizers[`${served.type.group}/${served.type.plural}`]!;
      if (metadata.finalizers?.includes(finalizer)) return;
      metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    },
  };
}
