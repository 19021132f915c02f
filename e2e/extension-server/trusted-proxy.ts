import type { Client } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { reflect } from '#client/informer/reflector.ts';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import type { RequestAuthenticator } from '#server/authentication/authenticator.ts';
import { CaBundle } from '#server/authentication/ca-bundle.ts';
import { requestHeaderAuthenticator } from '#server/authentication/request-header.ts';

const NAME = 'extension-apiserver-authentication';

type Data = Readonly<Record<string, string>>;

/** One state of the config map. */
interface Trust {
  readonly authorities: CaBundle;
  readonly authenticate: RequestAuthenticator;
}

/**
 * Follows the front proxy that the main server names in its config map, until the signal. A client with a certificate
 * of that proxy's authority names users in headers. No client is trusted until the config map exists.
 */
export class TrustedProxy {
  #trust: Trust | undefined;

  constructor(client: Client, signal: AbortSignal, log: { error(details: object, message: string): void }) {
    const configMaps = client.resource(coreV1.configmaps).in(client.naming.prefixed('system'));
    const take = (config: ConfigMap | undefined): void => {
      try {
        // If the new data is malformed, the previous proxy remains trusted.
        this.#trust = trustOf(config?.data ?? {});
      } catch (error) {
        log.error({ err: error }, `${NAME} cannot be used`);
      }
    };
    const sink = {
      replace: (items: readonly ConfigMap[]) => take(items[0]),
      change: (type: string, config: ConfigMap) => take(type === 'DELETED' ? undefined : config),
    };
    const onError = (error: unknown) => log.error({ err: error }, `${NAME} cannot be read`);
    void reflect(configMaps, sink, signal, { fieldSelector: `metadata.name=${NAME}`, onError });
  }

  /** The authorities from which the listener accepts client certificates, in PEM. */
  get authorities(): readonly string[] {
    return this.#trust?.authorities.pem ?? [];
  }

  readonly authenticate: RequestAuthenticator = (request) => this.#trust?.authenticate(request);
}

/**
 * Undefined if no proxy is trusted.
 *
 * @throws Error if the authorities or a list are malformed
 */
function trustOf(data: Data): Trust | undefined {
  const pem = data['requestheader-client-ca-file'];
  if (pem === undefined) return undefined;
  const authorities = new CaBundle({ pem });
  const authenticate = requestHeaderAuthenticator({
    authorities,
    allowedNames: list(data, 'requestheader-allowed-names'),
    usernameHeaders: list(data, 'requestheader-username-headers'),
    groupHeaders: list(data, 'requestheader-group-headers'),
    extraHeaderPrefixes: list(data, 'requestheader-extra-headers-prefix'),
  });
  return { authorities, authenticate };
}

function list(data: Data, key: string): string[] {
  const value: unknown = JSON.parse(data[key] ?? '[]');
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw new Error(`${key} is no list`);
  return value;
}
