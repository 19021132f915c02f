import { jsonEqual } from '#base/json/json-equal.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { coreV1, storageV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { LookAgain } from '#client/work/work-queue.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import { byClaim, CLAIM_FIELDS } from '../claims-of-pods.ts';
import { controller, need } from '../controller.ts';
import { classOf, isFor, matchVolume, mismatchOf } from './match-volume.ts';
import { isOwnProvisioner, reclaimOf } from './reclaim-volume.ts';

const VOLUMES = coreV1.persistentvolumes;
const CLAIMS = coreV1.persistentvolumeclaims;
const CLASSES = storageV1.storageclasses;
const AGAIN_MS = 300;

/**
 * Binds claims to volumes and writes the phase of both. Provisioners make and delete volumes. The controller marks a
 * claim for the provisioner of its class. It leaves released volumes to that provisioner or to an administrator. If the
 * class of a claim waits for the first consumer, the claim gets only a volume that names it, because the scheduler
 * chooses that volume.
 */
export const volumeBinderController = controller({
  name: 'persistentvolume-binder',
  account: 'persistent-volume-binder',
  component: 'persistentvolume-controller',
  needs: [
    need(VOLUMES, {
      fields: [
        'spec.capacity',
        'spec.accessModes',
        'spec.storageClassName',
        'spec.volumeMode',
        'spec.claimRef',
        'spec.persistentVolumeReclaimPolicy',
        'spec.hostPath',
        'spec.nfs',
        'status.phase',
        'status.message',
      ],
    }),
    need(CLAIMS, { fields: ['spec', 'status'] }),
    need(CLASSES, { fields: ['provisioner', 'volumeBindingMode'] }),
    need(coreV1.pods, { fields: ['spec.nodeName', ...CLAIM_FIELDS, 'status.phase'] }),
  ],

  start({ client, events, informer, queue, naming, log, signal }) {
    const volumes = informer(VOLUMES);
    const claims = informer(CLAIMS);
    const classes = informer(CLASSES);
    const complete = naming.key('pv/bind-completed');
    const byController = naming.key('pv/bound-by-controller');
    const provisioners = [naming.key('volume/storage-provisioner'), naming.key('volume.beta/storage-provisioner')];
    const selectedNode = naming.key('volume/selected-node');
    const classKey = naming.key('volume.beta/storage-class');
    const pods = informer(coreV1.pods);
    const ownVolumes = client.resource(VOLUMES);

    const claimKeys = queue(async (key) => {
      const claim = claims.get(key);
      return claim && lookAgainWhenChanged(() => bindClaim(claim));
    });
    const volumeKeys = queue(
      async (name) => {
        const volume = volumes.get(name);
        return volume && lookAgainWhenChanged(() => judgeVolume(volume));
      },
      { name: 'volumes' },
    );

    async function bindClaim(claim: PersistentVolumeClaim): Promise<void> {
      const { annotations = {} } = claim.metadata;
      const wanted = claim.spec?.volumeName ?? '';
      if (Object.hasOwn(annotations, complete)) {
        if (wanted === '')
          return lose(
            claim,
            'ClaimLost',
            'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
          );
        const volume = volumes.get(wanted) ?? (await ownVolumes.get(wanted).catch(undefinedIfGone));
        if (volume === undefined)
          return lose(claim, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
        if (!volume.spec?.claimRef || isFor(volume, claim)) return bind(volume, claim);
        const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
        return lose(claim, 'ClaimMisbound', message);
      }
      if (claim.metadata.deletionTimestamp) return;
      if (wanted === '') return findVolume(claim);
      const volume = volumes.get(wanted);
      // The claim names this volume, which may be created later.
      if (volume === undefined) return;
      if (!volume.spec?.claimRef) {
        const mismatch = mismatchOf(volume, claim, classKey);
        if (mismatch === undefined) return bind(volume, claim);
        const message = `Cannot bind to requested volume ${JSON.stringify(wanted)}: ${mismatch}`;
        return events.warn(CLAIMS, claim, 'VolumeMismatch', message);
      }
      if (isFor(volume, claim)) return bind(volume, claim);
      const message = `volume ${JSON.stringify(wanted)} already bound to a different claim.`;
      events.warn(CLAIMS, claim, 'FailedBinding', message);
    }

    async function findVolume(claim: PersistentVolumeClaim): Promise<void> {
      const className = classOf(claim, classKey);
      const found = className === '' ? undefined : classes.get(className);
      const waits = found?.volumeBindingMode === 'WaitForFirstConsumer';
      const candidates = waits ? [...volumes.all()].filter(({ spec }) => spec?.claimRef) : volumes.all();
      const volume = matchVolume(claim, candidates, classKey);
      if (volume !== undefined) return bind(volume, claim);
      if (waits && !Object.hasOwn(claim.metadata.annotations ?? {}, selectedNode)) return reportWaiting(claim);
      if (className === '') {
        const message = 'no persistent volumes available for this claim and no storage class is set';
        return events.normal(CLAIMS, claim, 'FailedBinding', message);
      }
      if (found === undefined) {
        const message = `storageclass.${naming.group('storage')} ${JSON.stringify(className)} not found`;
        return events.warn(CLAIMS, claim, 'ProvisioningFailed', message);
      }
      const { provisioner } = found;
      if (isOwnProvisioner(provisioner, naming)) {
        events.warn(CLAIMS, claim, 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
        return;
      }
      let marked = claim;
      if (provisioners.some((name) => claim.metadata.annotations?.[name] !== provisioner)) {
        const live = await ownClaims(claim).get(claim.metadata.name!);
        if (live.metadata.uid !== claim.metadata.uid) return;
        const marks = Object.fromEntries(provisioners.map((name) => [name, provisioner]));
        const metadata = { ...live.metadata, annotations: { ...live.metadata.annotations, ...marks } };
        marked = await ownClaims(claim).update({ ...live, metadata });
      }
      const message =
        `waiting for a volume to be created, either by external provisioner ${JSON.stringify(provisioner)} ` +
        'or manually created by system administrator';
      events.normal(CLAIMS, marked, 'ExternalProvisioning', message);
    }

    function reportWaiting(claim: PersistentVolumeClaim): void {
      const names = pods
        .find(byClaim, keyOf(claim))
        .filter(({ spec, status }) => !spec?.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
        .map(({ metadata }) => metadata.name!);
      const [reason, message] =
        names.length === 0
          ? ['WaitForFirstConsumer', 'waiting for first consumer to be created before binding']
          : ['WaitForPodScheduled', `waiting for pod${names.length > 1 ? 's' : ''} ${names.join(',')} to be scheduled`];
      events.normal(CLAIMS, claim, reason!, message!);
    }

    /**
     * Makes the volume and the claim name each other. The volume is written first, because its reference decides which
     * claim owns it. Any of these steps may already be done.
     */
    async function bind(volumeCopy: PersistentVolume, claimCopy: PersistentVolumeClaim): Promise<void> {
      let volume = await ownVolumes.get(volumeCopy.metadata.name!);
      let claim = await ownClaims(claimCopy).get(claimCopy.metadata.name!);
      if (claim.metadata.uid !== claimCopy.metadata.uid || volume.metadata.uid !== volumeCopy.metadata.uid) return;
      const { name = '', namespace, uid, resourceVersion } = claim.metadata;
      if (volume.spec?.claimRef && !isFor(volume, claim)) {
        // Another claim has got the volume since the copy was made. Another volume may be available.
        claimKeys.addAfter(keyOf(claim), AGAIN_MS);
        return;
      }
      if (!volume.spec?.claimRef?.uid) {
        const chosen = volume.spec?.claimRef ? {} : { [byController]: 'yes' };
        const claimRef = {
          apiVersion: 'v1',
          kind: CLAIMS.kind,
          namespace: namespace!,
          name,
          uid: uid!,
          resourceVersion: resourceVersion!,
        };
        const metadata = { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...chosen } };
        volume = await ownVolumes.update({ ...volume, metadata, spec: { ...volume.spec, claimRef } });
      }
      volume = await setPhase(volume, 'Bound');
      const { annotations = {} } = claim.metadata;
      const volumeName = volume.metadata.name!;
      if (claim.spec?.volumeName !== volumeName || !Object.hasOwn(annotations, complete)) {
        const chosen = claim.spec?.volumeName ? {} : { [byController]: 'yes' };
        const metadata = { ...claim.metadata, annotations: { ...annotations, ...chosen, [complete]: 'yes' } };
        claim = await ownClaims(claim).update({ ...claim, metadata, spec: { ...claim.spec, volumeName } });
      }
      const { accessModes = [], capacity = {} } = volume.spec ?? {};
      const { phase, capacity: reported, accessModes: reportedModes } = claim.status ?? {};
      // The provisioner that grows the volume of a bound claim writes the new capacity.
      const isReported = phase === 'Bound' && reported !== undefined;
      if (isReported && jsonEqual(reportedModes ?? [], accessModes ?? [])) return;
      const status = {
        ...claim.status,
        phase: 'Bound',
        accessModes: [...(accessModes ?? [])],
        capacity: isReported ? reported : capacity,
      };
      await ownClaims(claim).update({ ...claim, status }, { subresource: 'status' });
      log.info({ namespace, name, volume: volumeName }, 'bound the claim to the volume');
    }

    /** Decides whether a volume is free, bound, or released because its claim is gone. */
    async function judgeVolume(volume: PersistentVolume): Promise<void> {
      const { claimRef } = volume.spec ?? {};
      if (!claimRef?.uid) {
        await setPhase(volume, 'Available');
        // A claim may be waiting for this volume.
        for (const claim of claims.all()) if (claim.status?.phase !== 'Bound') claimKeys.add(keyOf(claim));
        return;
      }
      const key = `${claimRef.namespace}/${claimRef.name}`;
      const here = claims.get(key);
      // The claim may be newer than the copy, so the controller reads it from the server before it treats it as gone.
      const claim =
        here?.metadata.uid === claimRef.uid
          ? here
          : await client.resource(CLAIMS).in(claimRef.namespace).get(claimRef.name!).catch(undefinedIfGone);
      if (claim === undefined || claim.metadata.uid !== claimRef.uid) {
        if (volume.status?.phase === 'Failed') return;
        await reclaim(await setPhase(volume, 'Released'));
        return;
      }
      if (claim.spec?.volumeName === volume.metadata.name) await setPhase(volume, 'Bound');
      else if (!claim.spec?.volumeName) claimKeys.add(key);
    }

    /** Applies the volume's reclaim policy, now that no claim uses it. */
    async function reclaim(volume: PersistentVolume): Promise<void> {
      if (volume.status?.phase !== 'Released' || volume.metadata.deletionTimestamp) return;
      const todo = reclaimOf(volume, naming);
      const { name = '', uid, resourceVersion } = volume.metadata;
      if (todo.what === 'delete') {
        await ownVolumes.delete(name, { preconditions: { uid, resourceVersion } });
        log.info({ volume: name }, 'deleted the volume, which no claim uses any more');
      } else if (todo.what === 'fail') {
        await setPhase(volume, 'Failed', todo);
      }
    }

    async function setPhase(
      volume: PersistentVolume,
      phase: string,
      failure?: { readonly reason: string; readonly message: string },
    ): Promise<PersistentVolume> {
      if (volume.status?.phase === phase) return volume;
      const live = await ownVolumes.get(volume.metadata.name!);
      // The decision was about the claim that the volume names. If the claim has changed since, the volume is checked
      // again.
      if (live.metadata.uid !== volume.metadata.uid || !jsonEqual(live.spec?.claimRef, volume.spec?.claimRef))
        return live;
      if (live.status?.phase === phase) return live;
      const { message: _, ...others } = live.status ?? {};
      const status = { ...others, phase, ...(failure === undefined ? {} : { message: failure.message }) };
      const after = await ownVolumes.update({ ...live, status }, { subresource: 'status' });
      if (failure !== undefined) events.warn(VOLUMES, after, failure.reason, failure.message);
      log.info({ volume: volume.metadata.name, phase }, 'updated the phase of a volume');
      return after;
    }

    async function lose(claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
      if (claim.status?.phase === 'Lost') return;
      const { name = '', namespace, uid } = claim.metadata;
      const live = await ownClaims(claim).get(name);
      if (live.metadata.uid !== uid || live.spec?.volumeName !== claim.spec?.volumeName) return;
      const { capacity: _, accessModes: _modes, ...status } = live.status ?? {};
      const lost = { ...live, status: { ...status, phase: 'Lost' } };
      events.warn(CLAIMS, await ownClaims(claim).update(lost, { subresource: 'status' }), reason, message);
      log.info({ namespace, name, reason }, 'the claim has lost its volume');
    }

    const ownClaims = ({ metadata }: PersistentVolumeClaim) => client.resource(CLAIMS).in(metadata.namespace);

    const ofClaim = (claim: PersistentVolumeClaim) => {
      claimKeys.add(keyOf(claim));
      if (claim.spec?.volumeName) volumeKeys.add(claim.spec.volumeName);
    };
    claims.on({ added: ofClaim, updated: ofClaim, deleted: ofClaim }, signal);
    const ofVolume = (volume: PersistentVolume) => {
      volumeKeys.add(keyOf(volume));
      const { namespace, name } = volume.spec?.claimRef ?? {};
      if (name) claimKeys.add(`${namespace}/${name}`);
      // Claims may name this volume without being named by it.
      for (const claim of claims.all())
        if (claim.spec?.volumeName === volume.metadata.name) claimKeys.add(keyOf(claim));
    };
    volumes.on({ added: ofVolume, updated: ofVolume, deleted: ofVolume }, signal);
    const ofClass = ({ metadata }: { metadata: { name?: string } }) => {
      for (const claim of claims.all())
        if (!claim.spec?.volumeName && classOf(claim, classKey) === metadata.name) claimKeys.add(keyOf(claim));
    };
    classes.on({ added: ofClass, updated: ofClass }, signal);
    const ofPod = (pod: Pod) => {
      for (const key of byClaim(pod)) if (claims.get(key)?.status?.phase !== 'Bound') claimKeys.add(key);
    };
    pods.on({ added: ofPod }, signal);
  },
});

function undefinedIfGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/**
 * Runs the work, and repeats it soon if an object has changed or is gone in the meantime. The cached copies show this
 * by then.
 */
async function lookAgainWhenChanged(work: () => Promise<void>): Promise<LookAgain | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { afterMs: AGAIN_MS };
    throw error;
  }
}
