import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { Channel, type ClientOptions, credentials } from '@grpc/grpc-js';
import { trustingContext } from '#program/connection/secure-context.ts';

/** The certificate of this side, and the trusted authority, as PEM texts. */
export interface TlsMaterial {
  /** Undefined means the system's authorities. */
  readonly rootCertificate?: Buffer;
  readonly privateKey?: Buffer;
  readonly certChain?: Buffer;
}

/**
 * The requested server name for a member that is known by its address, because an address must not be sent as a name
 * (RFC 6066).
 */
const NAME_OF_ADDRESSES = 'etcd';

/**
 * Options of gRPC that verify members like the rest of this project. A member that is addressed by its IP address must
 * present a certificate for that address.
 */
export function channelOptions({ rootCertificate: ca, privateKey: key, certChain: cert }: TlsMaterial): ClientOptions {
  return {
    channelFactoryOverride: (target, given, options) => {
      if (!given._isSecure()) return new Channel(target, given, options);
      const host = target.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
      const context = trustingContext({ ca, cert, key });
      if (isIP(host) === 0) return new Channel(target, credentials.createFromSecureContext(context), options);
      const ours = credentials.createFromSecureContext(context, {
        checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
      });
      return new Channel(target, ours, { ...options, 'grpc.ssl_target_name_override': NAME_OF_ADDRESSES });
    },
  };
}
