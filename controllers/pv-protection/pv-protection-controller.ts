import { coreV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { PersistentVolume } from '#schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { protectionOf, setFinalizer } from '../protect.ts';

/** Delays the deletion of volumes that are bound to a claim until they are no longer bound. */
export const pvProtectionController = controller({
  name: 'pv-protection',
  account: 'pv-protection-controller',
  needs: [need(coreV1.persistentvolumes, { fields: ['status.phase'] })],

  start({ client, informer, queue, naming, log, signal }) {
    const finalizer = naming.key('pv-protection');
    const copies = informer(coreV1.persistentvolumes);
    const volumes = client.resource(coreV1.persistentvolumes);
    const names = queue(async (name) => {
      const copy = copies.get(name);
      if (copy === undefined) return;
      const protection = protectionOf(copy, finalizer);
      if (protection === 'none' || (protection === 'consider' && copy.status?.phase === 'Bound')) return;
      const add = protection === 'add';
      if (await setFinalizer(volumes, copy, finalizer, add))
        log.info(
          { volume: name },
          add
            ? 'added the finalizer that protects a bound volume'
            : 'removed the protection finalizer: the volume is not bound',
        );
    });
    const changed = (volume: PersistentVolume) => names.add(keyOf(volume));
    copies.on({ added: changed, updated: changed }, signal);
  },
});
