import { setTimeout as sleep } from 'node:timers/promises';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Naming } from '#base/naming/naming.ts';
import { randomSuffix } from '#base/text/random-suffix.ts';
import type { Container, EphemeralContainer, PodSpec, ServiceAccount, Volume } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { type PodWithSpec, podOf } from '../pod-of.ts';
import { podReferences } from '../pod-references.ts';
import { refusal } from '../refusal.ts';

/**
 * The lifetime of the token in the volume, in seconds. It is an hour and some seconds more, by which clients recognize
 * it.
 */
const TOKEN_SECONDS = 3607;
const DEFAULT = 'default';
/**
 * How often a pod looks for the default account, and the time between two attempts. A controller creates the account
 * soon after the namespace.
 */
const LOOKS = 10;
const LOOK_MS = 150;

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
  const name = existing?.name ?? prefix + randomSuffix();
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

function mountable({ secrets }: ServiceAccount): ReadonlySet<string | undefined> {
  return new Set((secrets ?? []).map((secret) => secret.name));
}

/** The first variable of containers whose value comes from a secret that the account does not list. */
function forbiddenVariable(
  what: string,
  containers: readonly (Container | EphemeralContainer)[] | null | undefined,
  account: ServiceAccount,
): string | undefined {
  const secrets = mountable(account);
  for (const container of containers ?? []) {
    for (const variable of container.env ?? []) {
      const name = variable.valueFrom?.secretKeyRef?.name;
      if (name === undefined || secrets.has(name)) continue;
      return `${what} ${container.name} with envVar ${variable.name} referencing secret.secretName=${JSON.stringify(name)} is not allowed because service account ${account.metadata.name} does not reference that secret`;
    }
  }
  return undefined;
}

/** The first reference of a pod that its account does not list; undefined if there is none. */
function forbiddenReference(spec: PodSpec, account: ServiceAccount): string | undefined {
  const because = `is not allowed because service account ${account.metadata.name} does not reference that`;
  const secrets = mountable(account);
  for (const { secret } of spec.volumes ?? []) {
    if (secret !== undefined && !secrets.has(secret.secretName ?? '')) {
      return `volume with secret.secretName=${JSON.stringify(secret.secretName ?? '')} ${because} secret`;
    }
  }
  const variable =
    forbiddenVariable('init container', spec.initContainers, account) ??
    forbiddenVariable('container', spec.containers, account);
  if (variable !== undefined) return variable;
  const pullSecrets = new Set((account.imagePullSecrets ?? []).map((secret) => secret.name));
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pullSecrets.has(name))
      return `imagePullSecrets[${i}].name=${JSON.stringify(name ?? '')} ${because} imagePullSecret`;
  }
  return undefined;
}

/** Checks a mirror pod. Such a pod shows what already runs on a node, so it must not get more rights. */
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

/**
 * Sets the account, its token and its pull secrets in new pods. If the account restricts references, pods may use only
 * the secrets that it lists.
 */
export function serviceAccount({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const mirror = naming.key('config.mirror');
  const enforce = naming.key('enforce-mountable-secrets');

  const isNewPod = handling('', 'pods', ['CREATE']);
  const addsContainers = handling('', 'pods', ['UPDATE'], 'ephemeralcontainers');

  async function accountOf(request: AdmissionRequest, name: string, looks = 1): Promise<ServiceAccount> {
    const { namespace, context } = request;
    const key = `${namespace}/${name}`;
    let account = await cluster.find<ServiceAccount>('', 'serviceaccounts', key);
    for (let look = 1; account === undefined && look < looks; look++) {
      const given = await sleep(LOOK_MS, true, { signal: context.signal }).catch(() => false);
      if (!given) break;
      account = cluster.get<ServiceAccount>('', 'serviceaccounts', key);
    }
    if (account !== undefined) return account;
    throw refusal(
      request,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  }

  /**
   * If the account restricts references, a pod may use only the secrets that the account lists. An update can only add
   * containers.
   */
  function checkReferences(request: AdmissionRequest, { spec }: PodWithSpec, account: ServiceAccount): void {
    if (!isTrue(account.metadata.annotations?.[enforce])) return;
    const forbidden =
      request.operation === 'CREATE'
        ? forbiddenReference(spec, account)
        : forbiddenVariable('ephemeral container', spec.ephemeralContainers, account);
    if (forbidden !== undefined) throw refusal(request, forbidden);
  }

  return {
    name: 'ServiceAccount',
    handles: (target) => isNewPod(target) || addsContainers(target),
    async mutate(request) {
      if (request.operation === 'UPDATE') return;
      const pod = podOf(request);
      if (pod.metadata.annotations?.[mirror] !== undefined) return checkMirrorPod(request, pod);
      const { spec } = pod;
      if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = DEFAULT;
      const name = spec.serviceAccountName!;
      spec.serviceAccount = name;
      const account = await accountOf(request, name, name === DEFAULT ? LOOKS : 1);
      const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (mounts) mountToken(spec, naming);
      const pullSecrets = account.imagePullSecrets ?? [];
      if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
        spec.imagePullSecrets = cloneJson(pullSecrets);
      }
      checkReferences(request, pod, account);
    },
    async validate(request) {
      const pod = podOf(request);
      const isNew = request.operation === 'CREATE';
      if (isNew && pod.metadata.annotations?.[mirror] !== undefined) return checkMirrorPod(request, pod);
      const { serviceAccountName = '' } = pod.spec;
      // A mirror pod has no account, so its added containers have no limits.
      if (!isNew && serviceAccountName === '') return;
      if (serviceAccountName === '') {
        throw refusal(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name}`);
      }
      checkReferences(request, pod, await accountOf(request, serviceAccountName));
    },
  };
}

/** Whether the value of an annotation has one of the spellings of true. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|t|T|true|True|TRUE)$/.test(text);
}
