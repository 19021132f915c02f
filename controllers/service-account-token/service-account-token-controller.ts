import { readSigningKey } from '#base/x509/token-keys.ts';
import { WatchedText } from '#client/connection/watched-text.ts';
import { isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type IndexBy, keyOf } from '#client/informer/informer.ts';
import type { Secret, ServiceAccount } from '#schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { every } from '../every.ts';
import { signSecretToken } from './sign-secret-token.ts';

/** The interval at which the file of the authorities is checked. */
const LOOK_AT_FILE_MS = 60_000;

/**
 * Fills secrets that ask for a token of a service account, and repairs them. It removes secrets whose account is gone
 * or was replaced. It also removes the names of deleted secrets from their account.
 */
export const serviceAccountTokenController = controller({
  name: 'serviceaccount-token',
  unavailable: (flags) =>
    flags.get('service-account-private-key-file') === ''
      ? '--service-account-private-key-file is not given'
      : undefined,
  needs: [need(coreV1.serviceaccounts, { fields: ['secrets'] })],

  prepare: ({ informers, naming }) => {
    const nameKey = naming.key('service-account.name');
    const byAccount: IndexBy<Secret> = ({ metadata }) => [`${metadata.namespace}/${metadata.annotations?.[nameKey]}`];
    const fieldSelector = `type=${naming.key('service-account-token')}`;
    return { byAccount, secrets: informers.of(coreV1.secrets, { fields: ['data'], fieldSelector }) };
  },

  start({ client, informer, prepared: { secrets: copies, byAccount }, queue, flags, naming, log, signal }) {
    const nameKey = naming.key('service-account.name');
    const uidKey = naming.key('service-account.uid');
    const signingKey = readSigningKey(flags.get('service-account-private-key-file'));
    const authoritiesFile = flags.get('root-ca-file');
    const authorities = authoritiesFile === '' ? undefined : new WatchedText({ file: authoritiesFile });
    const accounts = informer(coreV1.serviceaccounts);
    const workers = flags.get('concurrent-serviceaccount-token-syncs');

    /**
     * The content that a secret needs besides its token, by key. A namespace that the secret already has does not
     * change.
     */
    const plain = ({ metadata, data = {} }: Secret) => ({
      ...(authorities === undefined ? {} : { 'ca.crt': toBase64(authorities.get()) }),
      namespace: data['namespace'] || toBase64(metadata.namespace!),
    });
    const isFilled = (secret: Secret) =>
      Boolean(secret.data?.['token']) &&
      Object.entries(plain(secret)).every(([key, value]) => secret.data?.[key] === value);
    const isOf = (account: ServiceAccount | undefined, uid: string | undefined) =>
      account !== undefined && (!uid || account.metadata.uid === uid);

    /** The account of a secret. An account that is not in the copies may still exist. */
    const findAccount = async (namespace: string, name: string, uid: string | undefined) => {
      const copy = accounts.get(`${namespace}/${name}`);
      if (isOf(copy, uid)) return copy;
      const current = await orUndefined(client.resource(coreV1.serviceaccounts).in(namespace).get(name));
      return isOf(current, uid) ? current : undefined;
    };

    const keys = queue(
      async (key) => {
        const copy = copies.get(key);
        const name = copy?.metadata.annotations?.[nameKey];
        if (copy === undefined || copy.metadata.deletionTimestamp || !name) return;
        const namespace = copy.metadata.namespace!;
        const secrets = client.resource(coreV1.secrets).in(namespace);
        const account = await findAccount(namespace, name, copy.metadata.annotations?.[uidKey]);
        if (account === undefined) {
          const { uid, resourceVersion } = copy.metadata;
          await orUndefined(secrets.delete(copy.metadata.name!, { preconditions: { uid, resourceVersion } }));
          log.info(
            { namespace, name: copy.metadata.name, account: name },
            'deleted a token of a deleted service account',
          );
          return;
        }
        if (isFilled(copy)) return;
        const secret = await orUndefined(secrets.get(copy.metadata.name!));
        // If the copy is behind, its next change starts this work again.
        if (secret === undefined || secret.metadata.resourceVersion !== copy.metadata.resourceVersion) return;
        const token =
          secret.data?.['token'] ||
          toBase64(await signSecretToken(signingKey, naming, account.metadata, secret.metadata.name!));
        const { metadata } = secret;
        const annotations = { ...metadata.annotations, [nameKey]: name, [uidKey]: account.metadata.uid! };
        const data = { ...secret.data, ...plain(secret), token };
        try {
          await secrets.update({ ...secret, metadata: { ...metadata, annotations }, data });
          log.info({ namespace, name: metadata.name, account: name }, 'filled a token secret');
        } catch (error) {
          if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
        }
      },
      { name: 'serviceaccount_tokens_secret', workers },
    );

    /** Keys `NAMESPACE/ACCOUNT/SECRET/UID OF ACCOUNT` of secrets that are gone. */
    const references = queue(
      async (key) => {
        const [namespace = '', name = '', secret = '', uid] = key.split('/');
        const lists = (account: ServiceAccount | undefined) =>
          isOf(account, uid) && account!.secrets?.some((reference) => reference.name === secret);
        if (!lists(accounts.get(`${namespace}/${name}`))) return;
        const [account, again] = await Promise.all([
          orUndefined(client.resource(coreV1.serviceaccounts).in(namespace).get(name)),
          orUndefined(client.resource(coreV1.secrets).in(namespace).get(secret)),
        ]);
        if (again !== undefined || account === undefined || !lists(account)) return;
        const left = account.secrets!.filter((reference) => reference.name !== secret);
        await orUndefined(
          client
            .resource(coreV1.serviceaccounts)
            .in(namespace)
            .update({ ...account, secrets: left }),
        );
        log.info({ namespace, account: name, name: secret }, 'removed a deleted secret from its service account');
      },
      { name: 'serviceaccount_tokens_service', workers },
    );

    const changed = (secret: Secret) => keys.add(keyOf(secret));
    const gone = ({ metadata: { namespace, name, annotations = {} } }: Secret) =>
      annotations[nameKey] &&
      references.add([namespace, annotations[nameKey], name, annotations[uidKey] ?? ''].join('/'));
    copies.on({ added: changed, updated: changed, deleted: gone }, signal);
    // An account that is deleted and created again has another uid: tokens of the old account do not belong to it.
    const secretsOf = (account: ServiceAccount) => copies.find(byAccount, keyOf(account)).forEach(changed);
    accounts.on({ added: secretsOf, deleted: secretsOf }, signal);
    every(LOOK_AT_FILE_MS, signal, () => {
      for (const secret of copies.all()) changed(secret);
    });
  },
});

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The result; undefined if the object does not exist. */
async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
}
