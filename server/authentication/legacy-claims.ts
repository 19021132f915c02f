import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { equalSecrets } from '#base/text/equal-secrets.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { parseServiceAccountUser, serviceAccountGroups, serviceAccountUser } from '../api/service-account-name.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { ObjectReader } from '../resources/object-reader.ts';
import { CredentialError } from './authenticator.ts';
import { textClaim } from './token-claims.ts';

interface LegacyContext {
  readonly reader: ObjectReader;
  readonly naming: Naming;
  readonly lookup: boolean;
}

interface Secret extends ApiObject {
  data?: Record<string, string>;
}

/**
 * The account of a token that is kept in a secret. The secret must still contain this token.
 * @throws CredentialError
 */
export function checkLegacyClaims(claims: JsonObject, token: string, context: LegacyContext): UserInfo {
  const { naming } = context;
  const subject = textClaim(claims, 'sub');
  if (subject === '') throw new CredentialError('sub claim is missing');
  const need = (key: string, shown: string): string => {
    const value = textClaim(claims, `${naming.domain()}/serviceaccount/${key}`);
    if (value === '') throw new CredentialError(`${shown} claim is missing`);
    return value;
  };
  const namespace = need('namespace', 'namespace');
  const secret = need('secret.name', 'secretName');
  const name = need('service-account.name', 'serviceAccountName');
  const uid = need('service-account.uid', 'serviceAccountUID');
  const account = parseServiceAccountUser(subject);
  if (account?.namespace !== namespace || account.name !== name) throw new CredentialError('sub claim is invalid');
  if (context.lookup) {
    checkSecret(context.reader, namespace, secret, token);
    checkAccount(context.reader, namespace, name, uid);
  }
  return { name: serviceAccountUser(namespace, name), uid, groups: serviceAccountGroups(namespace), extra: {} };
}

function checkSecret(reader: ObjectReader, namespace: string, name: string, token: string): void {
  const secret = reader.get<Secret>('', 'secrets', namespace, name);
  if (secret === undefined || secret.metadata.deletionTimestamp)
    throw new CredentialError('Token has been invalidated');
  const kept = Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8');
  if (!equalSecrets(kept, token)) throw new CredentialError("token does not match server's copy");
}

function checkAccount(reader: ObjectReader, namespace: string, name: string, uid: string): void {
  const account = reader.get('', 'serviceaccounts', namespace, name);
  if (account === undefined) throw new CredentialError(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (account.metadata.deletionTimestamp)
    throw new CredentialError(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.metadata.uid !== uid)
    throw new CredentialError(`ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`);
}
