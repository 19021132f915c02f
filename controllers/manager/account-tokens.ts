import type { Client } from '#client/client.ts';
import { type Credentials, tokenCredentials } from '#client/connection/credentials.ts';
import { isAlreadyExists, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { formatJson, parseJson } from '#client/json.ts';
import type { Connection } from '#program/connection/connection.ts';
import type { TokenRequest } from '#schema/generated/authentication.v1.ts';

const LIFETIME_SECONDS = 3600;
/** The part of a token's lifetime after which the program requests a new one. */
const RENEW_AFTER = 0.8;

/** Credentials of a service account. They are tokens of the API server, which are renewed before they expire. */
export function accountCredentials(
  client: Client,
  connection: Connection,
  namespace: string,
  account: string,
): Credentials {
  let kept: { readonly token: string; readonly until: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const asked = performance.now();
    const token = await requestToken(client, namespace, account);
    kept = { token, until: asked + LIFETIME_SECONDS * 1000 * RENEW_AFTER };
    return token;
  };
  return tokenCredentials(
    connection,
    async () => {
      if (kept !== undefined && performance.now() < kept.until) return kept.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    () => {
      kept = undefined;
      return true;
    },
  );
}

/** A token of an account. A missing account is created. */
async function requestToken(client: Client, namespace: string, account: string): Promise<string> {
  const accounts = client.resource(coreV1.serviceaccounts).in(namespace);
  const body = formatJson({
    apiVersion: client.naming.apiVersion('authentication', 'v1'),
    kind: 'TokenRequest',
    spec: { expirationSeconds: LIFETIME_SECONDS },
  });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const request = async () => (await client.call({ method: 'POST', path, headers, body })).text;
  const text = await request().catch(async (error) => {
    if (!isNotFound(error)) throw error;
    await accounts.create({ metadata: { name: account, namespace } }).catch((failure) => {
      if (!isAlreadyExists(failure)) throw failure;
    });
    return request();
  });
  const token = (parseJson(text) as unknown as TokenRequest).status?.token;
  if (!token) throw new Error(`no token was made for the service account ${account}`);
  return token;
}
