import type { PodSpec } from '#schema/generated/core.v1.ts';

/** Names of other objects that a pod refers to. */
export interface PodReferences {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  readonly claims: readonly string[];
}

interface SecretRef {
  name?: string;
}

/** Everything in a pod that names a secret, a config map or a volume claim. */
export function podReferences(spec: PodSpec): PodReferences {
  const secrets: string[] = [];
  const configMaps: string[] = [];
  const claims: string[] = [];
  const add = (list: string[], name: string | undefined): void => {
    if (name !== undefined && name !== '') list.push(name);
  };
  const secretRef = (ref: SecretRef | null | undefined): void => add(secrets, ref?.name);

  for (const secret of spec.imagePullSecrets ?? []) secretRef(secret);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) {
    for (const { secretRef: secret, configMapRef } of container.envFrom ?? []) {
      secretRef(secret);
      add(configMaps, configMapRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      secretRef(valueFrom?.secretKeyRef);
      add(configMaps, valueFrom?.configMapKeyRef?.name);
    }
  }
  for (const volume of spec.volumes ?? []) {
    add(secrets, volume.secret?.secretName);
    add(secrets, volume.azureFile?.secretName);
    secretRef(volume.cephfs?.secretRef);
    secretRef(volume.cinder?.secretRef);
    secretRef(volume.flexVolume?.secretRef);
    secretRef(volume.rbd?.secretRef);
    secretRef(volume.scaleIO?.secretRef);
    secretRef(volume.iscsi?.secretRef);
    secretRef(volume.storageos?.secretRef);
    secretRef(volume.csi?.nodePublishSecretRef);
    add(configMaps, volume.configMap?.name);
    add(claims, volume.persistentVolumeClaim?.claimName);
    for (const source of volume.projected?.sources ?? []) {
      secretRef(source.secret);
      add(configMaps, source.configMap?.name);
    }
  }
  return { secrets, configMaps, claims };
}
