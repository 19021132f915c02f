import type { TrafficCounter } from '#storage/traffic.ts';
import { GrpcChannel } from './grpc-channel.ts';
import { frameOf } from './grpc-frame.ts';
import type { Target } from './grpc-session.ts';
import { GrpcStream } from './grpc-stream.ts';
import { KvClient } from './kv-client.ts';
import { decodeGrant, encodeGrant } from './lease-messages.ts';
import { Login } from './login.ts';
import type { Settings } from './options.ts';
import { decodeStatus, type MemberStatus } from './status-message.ts';

/** A request without any fields. */
const EMPTY_FRAME = Buffer.alloc(5);

/** One member of the cluster. The connection is made at the first use. Each call is sent once. */
export class Endpoint {
  readonly address: string;
  /** The client for the calls of reads and writes. */
  readonly kv: KvClient;
  readonly #target: Target;
  readonly #channel: GrpcChannel;
  readonly #login: Login | undefined;
  readonly #caller: Pick<GrpcChannel, 'unary'>;

  constructor(address: string, settings: Settings, traffic: TrafficCounter) {
    const { auth } = settings;
    this.address = address;
    this.#target = targetOf(address, settings);
    this.#channel = new GrpcChannel(this.#target);
    this.#login = auth && new Login(this.#channel, auth, settings.readTimeoutMs);
    this.#caller = this.#login ?? this.#channel;
    this.kv = new KvClient(this.#caller, traffic, settings.metadata);
  }

  /** The member's status. Rejects like `kv`. */
  async status(timeoutMs: number): Promise<MemberStatus> {
    return decodeStatus(await this.#caller.unary('/etcdserverpb.Maintenance/Status', EMPTY_FRAME, timeoutMs));
  }

  /** The id of a new lease, a decimal number. Rejects as `kv` does. */
  async grantLease(ttlSeconds: number, timeoutMs: number): Promise<string> {
    const frame = frameOf(encodeGrant(ttlSeconds));
    return decodeGrant(await this.#caller.unary('/etcdserverpb.Lease/LeaseGrant', frame, timeoutMs));
  }

  /** A stream of `watch-messages.ts` over a separate connection; the caller closes it. Rejects with CallError. */
  async openWatch(): Promise<GrpcStream> {
    const token = await this.#login?.renew();
    return new GrpcStream(this.#target, '/etcdserverpb.Watch/Watch', token === undefined ? {} : { token });
  }

  /** Ends all calls, not the streams. */
  close(): void {
    this.#channel.close();
  }
}

function targetOf(address: string, settings: Settings): Target {
  const { tls } = settings;
  return { url: /^(https?|unixs?):/.test(address) ? address : `${tls ? 'https' : 'http'}://${address}`, tls };
}
