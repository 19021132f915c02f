import type { Naming } from '#base/naming/naming.ts';
import type { Incoming } from './http/answer.ts';
import type { Upgraded } from './http/exchange.ts';
import type { Answer, Call, UpgradeCall } from './http/transport.ts';
import type { ResourceType } from './resource-type.ts';

/** Makes calls: over connections to a server, or in tests to something in its place. */
export interface Caller {
  /** A call with a complete answer. An unsuccessful answer is thrown as an ApiError. */
  call(call: Call): Promise<Answer>;
  /** A call with a continuing answer, such as a watch: resolves with its head. */
  open(call: Call): Promise<Incoming>;
  /** A call that becomes a connection of another protocol. */
  upgrade(call: UpgradeCall): Promise<Upgraded>;
}

/** A caller that knows the words of its server. */
export interface NamedCaller extends Caller {
  readonly naming: Naming;
  /** Records the server's answer to a write of a type, if writes are remembered. */
  noteWrite?(type: ResourceType, answer: unknown): void;
}
