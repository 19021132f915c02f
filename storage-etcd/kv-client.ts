import type { GrpcChannel } from './grpc-channel.ts';
import { frameOf } from './grpc-frame.ts';
import type { Metadata } from './grpc-session.ts';
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
  readonly #metadata: () => Metadata | undefined;

  /** `metadata` is asked for what goes along with each call. */
  constructor(caller: Pick<GrpcChannel, 'unary'>, metadata: () => Metadata | undefined = () => undefined) {
    this.#caller = caller;
    this.#metadata = metadata;
  }

  async range(request: RangeRequest, timeoutMs: number, signal?: AbortSignal): Promise<RangeAnswer> {
    const frame = frameOf(encodeRange(request));
    const answer = this.#caller.unary('/etcdserverpb.KV/Range', frame, timeoutMs, signal, this.#metadata());
    return decodeRange(await answer);
  }

  async txn(request: TxnRequest, timeoutMs: number): Promise<TxnAnswer> {
    const frame = frameOf(encodeTxn(request));
    return decodeTxn(await this.#caller.unary('/etcdserverpb.KV/Txn', frame, timeoutMs, undefined, this.#metadata()));
  }

  /** Resolves when the history before the revision is gone for readers. */
  async compact(revision: Revision, timeoutMs: number): Promise<void> {
    await this.#caller.unary('/etcdserverpb.KV/Compact', frameOf(encodeCompact(revision)), timeoutMs);
  }
}
