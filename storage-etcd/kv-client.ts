import { GrpcChannel } from './grpc-channel.ts';
import { frameOf } from './grpc-frame.ts';
import {
  decodeRange,
  decodeTxn,
  encodeRange,
  encodeTxn,
  type RangeAnswer,
  type RangeRequest,
  type TxnAnswer,
  type TxnRequest,
} from './kv-messages.ts';
import { Login } from './login.ts';
import type { Settings } from './options.ts';

/** The calls of one member that reads and writes are made of. Each is done once; `failureOf` says what a rejection means. */
export class KvClient {
  readonly #channel: GrpcChannel;
  readonly #caller: Pick<GrpcChannel, 'unary'>;

  constructor(endpoint: string, settings: Settings) {
    const { tls = {}, auth } = settings;
    const url = /^https?:/.test(endpoint) ? endpoint : `${settings.tls ? 'https' : 'http'}://${endpoint}`;
    this.#channel = new GrpcChannel({ url, tls });
    this.#caller = auth ? new Login(this.#channel, auth, settings.readTimeoutMs) : this.#channel;
  }

  async range(request: RangeRequest, timeoutMs: number): Promise<RangeAnswer> {
    return decodeRange(await this.#caller.unary('/etcdserverpb.KV/Range', frameOf(encodeRange(request)), timeoutMs));
  }

  async txn(request: TxnRequest, timeoutMs: number): Promise<TxnAnswer> {
    return decodeTxn(await this.#caller.unary('/etcdserverpb.KV/Txn', frameOf(encodeTxn(request)), timeoutMs));
  }

  close(): void {
    this.#channel.close();
  }
}
