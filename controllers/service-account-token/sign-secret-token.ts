import { CompactSign } from 'jose';
import type { Naming } from '#base/naming/naming.ts';
import type { SigningKey } from '#base/x509/token-keys.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';

/** A token (RFC 7519) of a service account. It is valid as long as its secret exists. */
export async function signSecretToken(
  key: SigningKey,
  naming: Naming,
  account: ObjectMeta,
  secret: string,
): Promise<string> {
  const prefix = `${naming.domain()}/serviceaccount`;
  const { namespace, name, uid } = account;
  const claims = {
    iss: naming.secretTokenIssuer,
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret,
    [`${prefix}/service-account.name`]: name,
    [`${prefix}/service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.algorithm, kid: key.id })
    .sign(key.privateKey);
}
