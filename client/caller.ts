import type { Naming } from '#base/naming/naming.ts';
import type { Incoming } from './http/answer.ts';
import type { Upgraded } from './http/exchange.ts';
import type { Answer, Call, UpgradeCall } from './http/transport.ts';
import type { ResourceType } from './resource-type.ts';

/** Makes calls over connections to a server. A test has its own implementation. */
export interface Caller {
  /** Makes a call and reads the whole answer. An unsuccessful answer is thrown as an ApiError. */
  call(call: Call): Promise<Answer>;
  /** Makes a call whose answer does not end, such as a watch. Resolves to the head of the answer. */
  open(call: Call): Promise<Incoming>;
  /** Makes a call that becomes a connection of another protocol. */
  upgrade(call: UpgradeCall): Promise<Upgraded>;
}

/** A caller that knows the naming of its server. */
export interface NamedCaller extends Caller {
  readonly naming: Naming;
  /** Records the server's answer to a write of a type, if writes are remembered. */
  noteWrite?(type: ResourceType, answer: unknown): void;
}
