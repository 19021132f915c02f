import type { DescriptionWriter } from '../writer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a field is shown. It has the field's key in the object, and a function for its value. */
type Shown = readonly [field: string, show: (value: unknown) => string];

const text = (field: string, absent = ''): Shown => [field, (value) => String(value ?? absent)];
const flag = (field: string): Shown => [field, (value) => String(value ?? false)];
const number = (field: string): Shown => [field, (value) => String(value ?? 0)];
const list = (field: string): Shown => [field, (value) => `[${((value ?? []) as string[]).join(' ')}]`];
const commas = (field: string): Shown => [field, (value) => ((value ?? []) as string[]).join(', ')];
const map = (field: string): Shown => [field, (value) => mapText((value ?? {}) as Fields)];
/** Shows a reference in the form that programmers of the field know. */
const reference = (field = 'secretRef'): Shown => [
  field,
  (value) => {
    if (value === undefined || value === null) return 'nil';
    const { name = '', namespace } = value as Fields;
    return namespace === undefined
      ? `&LocalObjectReference{Name:${name},}`
      : `&SecretReference{Name:${name},Namespace:${namespace},}`;
  },
];

/** Shows a field of a field. */
const within = (field: string, inner: string): Shown => [
  field,
  (value) => String(((value ?? {}) as Fields)[inner] ?? ''),
];

function mapText(values: Fields): string {
  return `map[${Object.keys(values)
    .sort()
    .map((key) => `${key}:${values[key]}`)
    .join(' ')}]`;
}

const ReadOnly = flag('readOnly');
const FSType = text('fsType');
const scaleIoVolume = {
  Gateway: text('gateway'),
  System: text('system'),
  'Protection Domain': text('protectionDomain'),
  'Storage Pool': text('storagePool'),
  'Storage Mode': text('storageMode'),
  VolumeName: text('volumeName'),
};

/** A kind of volume. It has a usual name, and its fields by their shown names. */
interface Source {
  readonly type: string;
  readonly fields: Readonly<Record<string, Shown>>;
}

/**
 * The kinds of volumes, by the field that contains the source. `volumes.ts` has kinds that only pods may have and that
 * this table cannot express.
 */
const sources: Readonly<Record<string, Source>> = {
  hostPath: {
    type: 'HostPath (bare host directory volume)',
    fields: { Path: text('path'), HostPathType: text('type', '<none>') },
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: {
      Medium: text('medium'),
      SizeLimit: ['sizeLimit', (value) => (value === undefined || value === '0' ? '<unset>' : String(value))],
    },
  },
  gcePersistentDisk: {
    type: 'GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)',
    fields: { PDName: text('pdName'), FSType, Partition: number('partition'), ReadOnly },
  },
  awsElasticBlockStore: {
    type: 'AWSElasticBlockStore (a Persistent Disk resource in AWS)',
    fields: { VolumeID: text('volumeID'), FSType, Partition: number('partition'), ReadOnly },
  },
  gitRepo: {
    type: 'GitRepo (a volume that is pulled from git when the pod is created)',
    fields: { Repository: text('repository'), Revision: text('revision') },
  },
  secret: {
    type: 'Secret (a volume populated by a Secret)',
    fields: { SecretName: text('secretName'), Optional: flag('optional') },
  },
  configMap: {
    type: 'ConfigMap (a volume populated by a ConfigMap)',
    fields: { Name: text('name'), Optional: flag('optional') },
  },
  nfs: {
    type: 'NFS (an NFS mount that lasts the lifetime of a pod)',
    fields: { Server: text('server'), Path: text('path'), ReadOnly },
  },
  iscsi: {
    type: "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    fields: {
      TargetPortal: text('targetPortal'),
      IQN: text('iqn'),
      Lun: number('lun'),
      ISCSIInterface: text('iscsiInterface'),
      FSType,
      ReadOnly,
      Portals: list('portals'),
      DiscoveryCHAPAuth: flag('chapAuthDiscovery'),
      SessionCHAPAuth: flag('chapAuthSession'),
      SecretRef: reference(),
      InitiatorName: text('initiatorName', '<none>'),
    },
  },
  glusterfs: {
    type: "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    fields: { EndpointsName: text('endpoints'), Path: text('path'), ReadOnly },
  },
  persistentVolumeClaim: {
    type: 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
    fields: { ClaimName: text('claimName'), ReadOnly },
  },
  rbd: {
    type: "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    fields: {
      CephMonitors: list('monitors'),
      RBDImage: text('image'),
      FSType,
      RBDPool: text('pool'),
      RadosUser: text('user'),
      Keyring: text('keyring'),
      SecretRef: reference(),
      ReadOnly,
    },
  },
  quobyte: {
    type: "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
    fields: { Registry: text('registry'), Volume: text('volume'), ReadOnly },
  },
  azureDisk: {
    type: 'AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)',
    fields: {
      DiskName: text('diskName'),
      DiskURI: text('diskURI'),
      Kind: text('kind'),
      FSType,
      CachingMode: text('cachingMode'),
      ReadOnly,
    },
  },
  vsphereVolume: {
    type: 'vSphereVolume (a Persistent Disk resource in vSphere)',
    fields: { VolumePath: text('volumePath'), FSType, StoragePolicyName: text('storagePolicyName') },
  },
  cinder: {
    type: 'Cinder (a Persistent Disk resource in OpenStack)',
    fields: { VolumeID: text('volumeID'), FSType, ReadOnly, SecretRef: reference() },
  },
  photonPersistentDisk: {
    type: 'PhotonPersistentDisk (a Persistent Disk resource in photon platform)',
    fields: { PdID: text('pdID'), FSType },
  },
  portworxVolume: {
    type: 'PortworxVolume (a Portworx Volume resource)',
    fields: { VolumeID: text('volumeID') },
  },
  scaleIO: {
    type: 'ScaleIO (a persistent volume backed by a block device in ScaleIO)',
    fields: {
      ...scaleIoVolume,
      FSType,
      ReadOnly,
    },
  },
  cephfs: {
    type: "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
    fields: {
      Monitors: list('monitors'),
      Path: text('path'),
      User: text('user'),
      SecretFile: text('secretFile'),
      SecretRef: reference(),
      ReadOnly,
    },
  },
  storageos: {
    type: 'StorageOS (a StorageOS Persistent Disk resource)',
    fields: { VolumeName: text('volumeName'), VolumeNamespace: text('volumeNamespace'), FSType, ReadOnly },
  },
  fc: {
    type: 'FC (a Fibre Channel disk)',
    fields: { TargetWWNs: commas('targetWWNs'), LUN: text('lun', '<none>'), FSType, ReadOnly },
  },
  azureFile: {
    type: 'AzureFile (an Azure File Service mount on the host and bind mount to the pod)',
    fields: { SecretName: text('secretName'), ShareName: text('shareName'), ReadOnly },
  },
  flexVolume: {
    type: 'FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)',
    fields: { Driver: text('driver'), FSType, SecretRef: reference(), ReadOnly, Options: map('options') },
  },
  flocker: {
    type: 'Flocker (a Flocker volume mounted by the Flocker agent)',
    fields: { DatasetName: text('datasetName'), DatasetUUID: text('datasetUUID') },
  },
};

/** The kinds of persistent volumes, which have more fields. */
const persistentSources: Readonly<Record<string, Source>> = {
  ...sources,
  local: {
    type: 'LocalVolume (a persistent volume backed by local storage on a node)',
    fields: { Path: text('path') },
  },
  glusterfs: {
    type: sources['glusterfs']!.type,
    fields: {
      EndpointsName: text('endpoints'),
      EndpointsNamespace: text('endpointsNamespace', '<unset>'),
      Path: text('path'),
      ReadOnly,
    },
  },
  azureFile: {
    type: sources['azureFile']!.type,
    fields: {
      SecretName: text('secretName'),
      SecretNamespace: text('secretNamespace'),
      ShareName: text('shareName'),
      ReadOnly,
    },
  },
  scaleIO: {
    type: sources['scaleIO']!.type,
    fields: {
      ...scaleIoVolume,
      SecretName: within('secretRef', 'name'),
      SecretNamespace: within('secretRef', 'namespace'),
      FSType,
      ReadOnly,
    },
  },
};

/** Scripts search for this name without a colon. */
const WITHOUT_COLON = 'ISCSIInterface';

/**
 * Writes the fields of a volume's source. Returns false if the table does not contain its kind.
 * @param persistent whether the source belongs to a persistent volume
 */
export function describeSource(writer: DescriptionWriter, source: Fields, persistent = false): boolean {
  const table = persistent ? persistentSources : sources;
  const field = Object.keys(table).find((name) => source[name] !== undefined && source[name] !== null);
  if (field === undefined) return false;
  const { type, fields } = table[field]!;
  const values = source[field] as Fields;
  writer.field(2, 'Type', type);
  for (const [name, [from, show]] of Object.entries(fields))
    writer.line(2, `${name}${name === WITHOUT_COLON ? '' : ':'}\t${show(values[from])}`);
  return true;
}
