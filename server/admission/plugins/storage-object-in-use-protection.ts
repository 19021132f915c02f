import { table } from '#base/collections/own-properties.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';

/** Keeps deleted volumes, claims and classes of volumes until they are no longer used. */
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
