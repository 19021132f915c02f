import type { Naming } from '#base/naming/naming.ts';
import type { PersistentVolume } from '#schema/generated/core.v1.ts';

/** The next action for a volume whose claim is gone. */
export type Reclaim =
  /** The volume stays as it is, for an administrator or for its provisioner. */
  | { readonly what: 'leave' }
  | { readonly what: 'delete' }
  /** The action that the volume asks for is impossible. */
  | { readonly what: 'fail'; readonly reason: string; readonly message: string };

const LEAVE: Reclaim = { what: 'leave' };

/**
 * The action for a released volume by its policy. The manager itself deletes or recycles only host directories, which
 * are for tests. All other volumes are deleted by the provisioner in their annotation.
 */
export function reclaimOf({ metadata, spec }: PersistentVolume, naming: Naming): Reclaim {
  const { annotations = {}, name } = metadata;
  if (Object.hasOwn(annotations, naming.key('pv/migrated-to'))) return LEAVE;
  if (spec?.persistentVolumeReclaimPolicy === 'Recycle') {
    if (spec.hostPath || spec.nfs) return LEAVE;
    return { what: 'fail', reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' };
  }
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete') return LEAVE;
  const provisioner = annotations[naming.key('pv/provisioned-by')];
  if (provisioner && !isOwnProvisioner(provisioner, naming)) return LEAVE;
  const failed = (message: string): Reclaim => ({ what: 'fail', reason: 'VolumeFailedDelete', message });
  if (!spec.hostPath)
    return failed(
      `error getting deleter volume plugin for volume ${JSON.stringify(name)}: no deletable volume plugin matched`,
    );
  const { path } = spec.hostPath;
  if (/^\/tmp\/.+/.test(path ?? '')) return { what: 'delete' };
  return failed(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
}

/** Whether a provisioner belongs to the managers of the field. This manager contains none. */
export function isOwnProvisioner(provisioner: string, naming: Naming): boolean {
  return provisioner.startsWith(naming.key(''));
}
