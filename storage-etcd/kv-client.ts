import type { GrpcChannel } from './grpc-channel.ts';
import { frameOf } from './grpc-frame.ts';
import {
  decodeRange,
  decodeTxn,
  encodeCompact,
  encodeRange,
  encodeTxn,
  type RangeAnswer,
  type RangeRequest,
  type TxnAnswer,
  type TxnRequest,
} from './kv-messages.ts';
import type { Revision } from './object-store.ts';

/** The calls about the keys of one member. Each is done once; `failureOf` says what a rejection means. */
export class KvClient {
  readonly #caller: Pick<GrpcChannel, 'unary'>;

  constructor(caller: Pick<GrpcChannel, 'unary'>) {
    this.#caller = caller;
  }

  async range(request: RangeRequest, timeoutMs: number, signal?: AbortSignal): Promise<RangeAnswer> {
    const frame = frameOf(encodeRange(request));
    return decodeRange(await this.#caller.unary('/etcdserverpb.KV/Range', frame, timeoutMs, signal));
  }

  async txn(request: TxnRequest, timeoutMs: number): Promise<TxnAnswer> {
    return decodeTxn(await this.#caller.unary('/etcdserverpb.KV/Txn', frameOf(encodeTxn(request)), timeoutMs));
  }

  /** Resolves when the history before the revision is gone for readers. */
  async compact(revision: Revision, timeoutMs: number): Promise<void> {
    await this.#caller.unary('/etcdserverpb.KV/Compact', frameOf(encodeCompact(revision)), timeoutMs);
  }
}
