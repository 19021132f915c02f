import { randomInt } from 'node:crypto';
import type { Naming } from '../../naming/naming.ts';
import { cloneJson } from '../../schema/clone-json.ts';
import type { Container, PodSpec, ServiceAccount, Volume } from '../../schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { type PodWithSpec, podOf } from '../pod-of.ts';
import { podReferences } from '../pod-references.ts';
import { refusal } from '../refusal.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** Lifetime of the token in the volume, in seconds: an hour and some slack, by which clients recognize it. */
const TOKEN_SECONDS = 3607;

function tokenVolume(name: string, naming: Naming): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: naming.prefixed('root-ca.crt'), items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}

/** Mounts a token into every container that has nothing at its path yet. */
function mountToken(spec: PodSpec, naming: Naming): void {
  const prefix = naming.prefixed('api-access-');
  const mountPath = `/var/run/secrets/${naming.domain()}/serviceaccount`;
  const existing = (spec.volumes ?? []).find((volume) => volume.name.startsWith(prefix));
  let name = existing?.name;
  if (name === undefined) {
    name = prefix;
    for (let i = 0; i < 5; i++) name += ALPHABET[randomInt(ALPHABET.length)];
  }
  let needed = false;
  const mount = (container: Container): void => {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mounted) => mounted.mountPath === mountPath)) return;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
    needed = true;
  };
  for (const container of spec.initContainers ?? []) mount(container);
  for (const container of spec.containers ?? []) mount(container);
  if (needed && existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name, naming)];
}

/** What a pod refers to although its account does not list it; undefined when there is nothing. */
function forbiddenReference(spec: PodSpec, account: ServiceAccount): string | undefined {
  const because = `is not allowed because service account ${account.metadata.name} does not reference that`;
  const secrets = new Set((account.secrets ?? []).map((secret) => secret.name));
  for (const { secret } of spec.volumes ?? []) {
    if (secret !== undefined && !secrets.has(secret.secretName ?? '')) {
      return `volume with secret.secretName=${JSON.stringify(secret.secretName ?? '')} ${because} secret`;
    }
  }
  const lists = [
    ['init container', spec.initContainers],
    ['container', spec.containers],
    ['ephemeral container', spec.ephemeralContainers],
  ] as const;
  for (const [what, containers] of lists) {
    for (const container of containers ?? []) {
      for (const variable of container.env ?? []) {
        const name = variable.valueFrom?.secretKeyRef?.name;
        if (name === undefined || secrets.has(name)) continue;
        return `${what} ${container.name} with envVar ${variable.name} referencing secret.secretName=${JSON.stringify(name)} ${because} secret`;
      }
    }
  }
  const pullSecrets = new Set((account.imagePullSecrets ?? []).map((secret) => secret.name));
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pullSecrets.has(name))
      return `imagePullSecrets[${i}].name=${JSON.stringify(name ?? '')} ${because} imagePullSecret`;
  }
  return undefined;
}

/** Mirror pods show what runs on a node anyway: they may not gain anything by it. */
function checkMirrorPod(request: AdmissionRequest, { spec }: PodWithSpec): void {
  if ((spec.serviceAccountName ?? '') !== '') {
    throw refusal(request, 'a mirror pod may not reference service accounts');
  }
  if (podReferences(spec).secrets.length > 0) throw refusal(request, 'a mirror pod may not reference secrets');
  const sources = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (sources.some((source) => source.serviceAccountToken !== undefined)) {
    throw refusal(request, 'a mirror pod may not use ServiceAccountToken volume projections');
  }
}

/** Gives new pods an account, its token and its pull secrets, and keeps them to the secrets it lists where it says so. */
export function serviceAccount({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const mirror = naming.key('config.mirror');
  const enforce = naming.key('enforce-mountable-secrets');

  const isNewPod = handling('', 'pods', ['CREATE']);
  const addsContainers = handling('', 'pods', ['UPDATE'], 'ephemeralcontainers');

  async function accountOf(request: AdmissionRequest, name: string): Promise<ServiceAccount> {
    const { namespace } = request;
    const account = await cluster.find<ServiceAccount>('', 'serviceaccounts', `${namespace}/${name}`);
    if (account !== undefined) return account;
    throw refusal(
      request,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  }

  return {
    name: 'ServiceAccount',
    handles: (target) => isNewPod(target) || addsContainers(target),
    async mutate(request) {
      if (request.operation === 'UPDATE') return;
      const pod = podOf(request);
      if (pod.metadata.annotations?.[mirror] !== undefined) return checkMirrorPod(request, pod);
      const { spec } = pod;
      if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = 'default';
      spec.serviceAccount = spec.serviceAccountName!;
      const account = await accountOf(request, spec.serviceAccountName!);
      const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (mounts) mountToken(spec, naming);
      const pullSecrets = account.imagePullSecrets ?? [];
      if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
        spec.imagePullSecrets = cloneJson(pullSecrets);
      }
    },
    async validate(request) {
      const pod = podOf(request);
      if (pod.metadata.annotations?.[mirror] !== undefined) return checkMirrorPod(request, pod);
      const { spec } = pod;
      if ((spec.serviceAccountName ?? '') === '') {
        throw refusal(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name}`);
      }
      const account = await accountOf(request, spec.serviceAccountName!);
      if (account.metadata.annotations?.[enforce] === undefined) return;
      const forbidden = isTrue(account.metadata.annotations[enforce]) ? forbiddenReference(spec, account) : undefined;
      if (forbidden !== undefined) throw refusal(request, forbidden);
    },
  };
}

/** The spellings of true that settings in annotations have. */
function isTrue(text: string): boolean {
  return /^(1|t|true)$/i.test(text);
}
