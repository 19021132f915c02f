import { coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import { batched } from '../batched.ts';
import { byClaim, CLAIM_FIELDS } from '../claims-of-pods.ts';
import { controller, need } from '../controller.ts';
import { protectionOf, setFinalizer } from '../protect.ts';

/** The number of pods that are read at once. */
const PAGE = 500;
const WORKERS = 10;

/** Delays the deletion of claims that pods on nodes use until those pods are gone. Finished pods count too. */
export const pvcProtectionController = controller({
  name: 'pvc-protection',
  account: 'pvc-protection-controller',
  needs: [
    need(coreV1.persistentvolumeclaims),
    need(coreV1.pods, {
      fields: ['spec.nodeName', ...CLAIM_FIELDS],
    }),
  ],

  start({ client, informer, queue, naming, log, signal }) {
    const finalizer = naming.key('pvc-protection');
    const copies = informer(coreV1.persistentvolumeclaims);
    const pods = informer(coreV1.pods);

    const readUsers = batched(async (namespace: string) => {
      const users: Pod[] = [];
      for await (const page of client.resource(coreV1.pods).in(namespace).pages({ limit: PAGE }))
        users.push(...page.items.filter((pod) => pod.spec?.nodeName && byClaim(pod).length > 0));
      return users;
    });

    /** If no copy shows a use, the controller also asks the server, because a pod may be newer than the copies. */
    const isUsed = async (claim: PersistentVolumeClaim, key: string) => {
      if (pods.find(byClaim, key).some((pod) => uses(pod, claim))) return true;
      return (await readUsers(splitKey(key).namespace!)).some((pod) => uses(pod, claim));
    };

    const keys = queue(work, { workers: WORKERS });

    async function work(key: string): Promise<void> {
      const copy = copies.get(key);
      if (copy === undefined) return;
      const protection = protectionOf(copy, finalizer);
      if (protection === 'none' || (protection === 'consider' && (await isUsed(copy, key)))) return;
      const { namespace, name } = copy.metadata;
      const add = protection === 'add';
      if (await setFinalizer(client.resource(coreV1.persistentvolumeclaims).in(namespace), copy, finalizer, add))
        log.info(
          { namespace, name },
          add
            ? 'added the finalizer that protects a used claim'
            : 'removed the protection finalizer: no pod uses the claim',
        );
    }

    const changed = (claim: PersistentVolumeClaim) => keys.add(keyOf(claim));
    copies.on({ added: changed, updated: changed }, signal);
    const claimsOf = (pod: Pod) => {
      for (const key of byClaim(pod)) if (copies.get(key)?.metadata.deletionTimestamp) keys.add(key);
    };
    pods.on({ updated: claimsOf, deleted: claimsOf }, signal);
  },
});

/** Whether a pod on a node uses a claim. A claim that was made for a pod belongs to this pod. */
export function uses({ metadata: pod, spec }: Pod, { metadata: claim }: PersistentVolumeClaim): boolean {
  if (!spec?.nodeName || pod.namespace !== claim.namespace) return false;
  return (spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === claim.name;
    if (!ephemeral || `${pod.name}-${name}` !== claim.name) return false;
    return (
      claim.ownerReferences?.some(({ controller: controls, uid }) => controls === true && uid === pod.uid) === true
    );
  });
}
