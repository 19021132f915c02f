import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Connection } from '#program/connection/connection.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { AnswerError, fieldsIn, formOf, isFields } from './answers.ts';
import type { Caller, NamedCaller } from './caller.ts';
import { credentialsOf } from './connection/credentials.ts';
import type { Incoming } from './http/answer.ts';
import type { Upgraded } from './http/exchange.ts';
import { type Answer, type Call, Transport, type TransportOptions, type UpgradeCall } from './http/transport.ts';
import { parseJson } from './json.ts';
import type { OwnWrites } from './own-writes.ts';
import { ResourceClient } from './resource-client.ts';
import type { ResourceType } from './resource-type.ts';

export interface ClientOptions extends Omit<TransportOptions, 'server' | 'credentials'> {
  /** The naming of the server; by default the client asks the server. */
  readonly naming?: Naming | undefined;
  /** Credentials in place of those of the connection. */
  readonly credentials?: TransportOptions['credentials'];
  readonly signal?: AbortSignal | undefined;
}

/** A function that can stop calls before they are sent. */
interface Fence {
  readonly guard: (call: Call) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * A client of one server. Types of `generated/resources.ts` give typed objects. Types from discovery give untyped
 * objects:
 * ```ts
 * const client = await connect(readConnection(file));
 * const pods = await client.resource(coreV1.pods).in('default').list({ labelSelector: 'app=web' });
 * ```
 */
export class Client implements NamedCaller {
  readonly naming: Naming;
  readonly #caller: Caller;
  readonly #fence: Fence | undefined;
  readonly #writes: OwnWrites | undefined;

  constructor(caller: Caller, naming: Naming, fence?: Fence, writes?: OwnWrites) {
    this.#caller = caller;
    this.naming = naming;
    this.#fence = fence;
    this.#writes = writes;
  }

  /** The objects of a type, in all namespaces. */
  resource<T extends ApiObject>(type: ResourceType<T>): ResourceClient<T> {
    return new ResourceClient(this, type);
  }

  /**
   * The same client with a guard, which stops a call by throwing. The client calls the guard at the start of a call,
   * and again just before the call is sent. Calls without a signal use this signal.
   *
   * @example client.guarded(() => leadership.check(), leadership.signal)
   */
  guarded(guard: (call: Call) => void, signal?: AbortSignal): Client {
    return new Client(this.#caller, this.naming, { guard, signal }, this.#writes);
  }

  /** The same client, which also remembers its writes, so that a program can read its own writes. */
  remembering(writes: OwnWrites): Client {
    return new Client(this.#caller, this.naming, this.#fence, writes);
  }

  noteWrite(type: ResourceType, answer: unknown): void {
    this.#writes?.note(type, this.naming, answer);
  }

  /** Makes any call. An unsuccessful answer is thrown as an ApiError. */
  async call(call: Call): Promise<Answer> {
    return this.#caller.call(this.#guardedCall(call));
  }

  /** Makes any call whose answer does not end. */
  async open(call: Call): Promise<Incoming> {
    return this.#caller.open(this.#guardedCall(call));
  }

  /** Makes any call that becomes a connection of another protocol; see `streams/`. */
  async upgrade(call: UpgradeCall): Promise<Upgraded> {
    return this.#caller.upgrade(this.#guardedCall(call));
  }

  /** The JSON object at a path, such as `/version`. @throws AnswerError if the answer is not a JSON object */
  async getJson<T>(path: string, options: Pick<Call, 'signal' | 'timeoutMs' | 'headers'> = {}): Promise<T> {
    const headers = { accept: 'application/json', ...options.headers };
    const answer: unknown = parseJson((await this.call({ method: 'GET', path, ...options, headers })).text);
    if (!isFields(answer)) throw new AnswerError(`the answer of the server to ${path} is ${formOf(answer)}`);
    return answer as T;
  }

  #guardedCall<T extends Call | UpgradeCall>(call: T): T {
    const fence = this.#fence;
    if (fence === undefined) return call;
    fence.guard(call as Call);
    return { ...call, signal: call.signal ?? fence.signal, guard: () => fence.guard(call as Call) };
  }
}

/** A client with its own connections. */
export class ConnectedClient extends Client {
  readonly transport: Transport;

  constructor(transport: Transport, naming: Naming) {
    super(transport, naming);
    this.transport = transport;
  }

  async close(): Promise<void> {
    await this.transport.close();
  }
}

/**
 * A client for a connection. It reads the server's naming profile from the server, unless the options name one.
 *
 * @throws ApiError or ConnectionError if the server does not answer this request
 * @example const client = await connect(readConnection('admin.conf'), { qps: 20, burst: 30 })
 */
export async function connect(connection: Connection, options: ClientOptions = {}): Promise<ConnectedClient> {
  const { naming, signal, credentials = credentialsOf(connection), ...rest } = options;
  const { server, proxyUrl } = connection.cluster;
  const transport = new Transport({ server, proxyUrl, credentials, ...rest });
  try {
    return new ConnectedClient(transport, naming ?? (await findNaming(transport, signal)));
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/**
 * The naming profile of a server, found from the names of its groups. If the names do not show it, this is the default
 * profile.
 */
export async function findNaming(caller: Caller, signal?: AbortSignal): Promise<Naming> {
  const headers = { accept: 'application/json' };
  const { text } = await caller.call({ method: 'GET', path: '/apis', headers, signal });
  const names = new Set(fieldsIn((parseJson(text) as { groups?: unknown } | null)?.groups).map(({ name }) => name));
  const namings = namingProfiles.map(createNaming);
  return (
    namings.find((naming) => names.has(naming.group('apiregistration')) || names.has(naming.group('authorization'))) ??
    namings[0]!
  );
}
