import type { Revision } from '#storage/object-store.ts';
import type { TrafficCounter } from '#storage/traffic.ts';
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

/** The calls about the keys of one member. Each call is sent once. `failureOf` explains a rejection. */
export class KvClient {
  readonly #caller: Pick<GrpcChannel, 'unary'>;
  readonly #traffic: TrafficCounter;
  readonly #metadata: () => Metadata | undefined;

  /** `metadata` gives the metadata of each call. */
  constructor(
    caller: Pick<GrpcChannel, 'unary'>,
    traffic: TrafficCounter,
    metadata: () => Metadata | undefined = () => undefined,
  ) {
    this.#caller = caller;
    this.#traffic = traffic;
    this.#metadata = metadata;
  }

  async range(request: RangeRequest, timeoutMs: number, signal?: AbortSignal): Promise<RangeAnswer> {
    const frame = frameOf(encodeRange(request));
    this.#traffic.ranges++;
    return decodeRange(await this.#call('/etcdserverpb.KV/Range', frame, timeoutMs, signal));
  }

  async txn(request: TxnRequest, timeoutMs: number): Promise<TxnAnswer> {
    const frame = frameOf(encodeTxn(request));
    this.#traffic.transactions++;
    return decodeTxn(await this.#call('/etcdserverpb.KV/Txn', frame, timeoutMs));
  }

  /** Resolves when readers can no longer read the history before the revision. */
  async compact(revision: Revision, timeoutMs: number): Promise<void> {
    await this.#caller.unary('/etcdserverpb.KV/Compact', frameOf(encodeCompact(revision)), timeoutMs);
  }

  async #call(path: string, frame: Buffer, timeoutMs: number, signal?: AbortSignal): Promise<Buffer> {
    this.#traffic.sentBytes += frame.length;
    const answer = await this.#caller.unary(path, frame, timeoutMs, signal, this.#metadata());
    this.#traffic.receivedBytes += answer.length;
    return answer;
  }
}
