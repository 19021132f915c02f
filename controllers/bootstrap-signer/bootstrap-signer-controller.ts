import { isDeepStrictEqual } from 'node:util';
import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Secret } from '#schema/generated/core.v1.ts';
import { controller } from '../controller.ts';
import { bootstrapTokens, tokenEnd, tokenField } from './bootstrap-token.ts';
import { signDetached } from './sign-detached.ts';

const MAP = 'cluster-info';
/** The name of the signed text, which is a connection file. */
const SIGNED = 'kubeconfig';
const SIGNATURE_PREFIX = `jws-${SIGNED}-`;
const secretName = /^bootstrap-token-([a-z0-9]{6})$/;

type Data = Readonly<Record<string, string>>;

/**
 * Signs the public connection file with each bootstrap token that may sign. A machine that knows a token can then
 * verify that the file is from this cluster. The controller removes the signatures of tokens that are deleted or
 * expired.
 */
export const bootstrapSignerController = controller({
  name: 'bootstrapsigner',
  account: 'bootstrap-signer',
  offByDefault: true,
  needs: [],

  prepare: ({ informers, naming }) => {
    const fieldSelector = `metadata.name=${MAP},metadata.namespace=${naming.prefixed('public')}`;
    return {
      tokens: bootstrapTokens(informers, naming),
      maps: informers.of(coreV1.configmaps, { fields: ['data'], fieldSelector }),
    };
  },

  start({ client, prepared: { tokens, maps: copies }, queue, naming, log, signal, now }) {
    const namespace = naming.prefixed('public');
    const maps = client.resource(coreV1.configmaps).in(namespace);
    const names = queue(async (name) => {
      const copy = copies.get(`${namespace}/${name}`);
      if (copy === undefined || copy.metadata.deletionTimestamp) return undefined;
      const at = now();
      const good = [...tokens.all()].filter((secret) => maySign(secret, at));
      const end = Math.min(...good.map(tokenEnd));
      const again = Number.isFinite(end) ? { afterMs: end - at } : undefined;
      const data = await sign(copy.data ?? {}, good, naming.signsWithWholeTokens);
      if (data === undefined) return undefined;
      if (isDeepStrictEqual(data, { ...copy.data })) return again;
      try {
        const current = await maps.get(name);
        // If the informer's copy is behind, its next change starts this work again.
        if (current.metadata.resourceVersion !== copy.metadata.resourceVersion) return again;
        await maps.update({ ...current, data });
        log.info({ namespace, name, tokens: good.length }, 'signed the connection file');
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return again;
    });
    const changed = () => names.add(MAP);
    copies.on({ added: changed, updated: changed }, signal);
    tokens.on({ added: changed, updated: changed, deleted: changed }, signal);
  },
});

/** Whether a token signs: it is for signing, its name matches its id, and it has not expired. */
function maySign(secret: Secret, now: number): boolean {
  const [, id] = secretName.exec(secret.metadata.name ?? '') ?? [];
  if (id === undefined || secret.metadata.deletionTimestamp) return false;
  if (tokenField(secret, 'token-id') !== id || tokenField(secret, 'token-secret') === '') return false;
  return tokenField(secret, 'usage-bootstrap-signing') === 'true' && tokenEnd(secret) > now;
}

/** The data with the signatures of these tokens only; undefined if there is nothing to sign. */
async function sign(data: Data, tokens: readonly Secret[], whole: boolean): Promise<Data | undefined> {
  const text = data[SIGNED];
  if (!text) return undefined;
  const others = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const signatures = tokens.map(async (secret) => {
    const id = tokenField(secret, 'token-id');
    const part = tokenField(secret, 'token-secret');
    return [`${SIGNATURE_PREFIX}${id}`, await signDetached(text, id, whole ? `${id}.${part}` : part)];
  });
  return Object.fromEntries([...others, ...(await Promise.all(signatures))]);
}
