import type { Etcd3 } from 'etcd3';
import { createClient } from './client.ts';
import { GrpcChannel } from './grpc-channel.ts';
import type { Target } from './grpc-session.ts';
import { GrpcStream } from './grpc-stream.ts';
import { KvClient } from './kv-client.ts';
import { Login } from './login.ts';
import type { Settings } from './options.ts';

/** One member of the cluster. It is connected to when first used. */
export class Endpoint {
  readonly address: string;
  /** For the calls behind every read and write. */
  readonly kv: KvClient;
  /** For what is rare. */
  readonly client: Etcd3;
  readonly #target: Target;
  readonly #channel: GrpcChannel;
  readonly #login: Login | undefined;

  constructor(address: string, settings: Settings) {
    const { auth } = settings;
    this.address = address;
    this.#target = targetOf(address, settings);
    this.#channel = new GrpcChannel(this.#target);
    this.#login = auth && new Login(this.#channel, auth, settings.readTimeoutMs);
    this.kv = new KvClient(this.#login ?? this.#channel);
    this.client = createClient(address, settings);
  }

  /** A stream of `watch-messages.ts` over a connection of its own; the caller closes it. Rejects with CallError. */
  async openWatch(): Promise<GrpcStream> {
    const token = await this.#login?.renew();
    return new GrpcStream(this.#target, '/etcdserverpb.Watch/Watch', token === undefined ? {} : { token });
  }

  /** Ends all calls, not the streams. */
  close(): void {
    this.#channel.close();
    this.client.close();
  }
}

function targetOf(address: string, settings: Settings): Target {
  const { tls = {} } = settings;
  return { url: /^https?:/.test(address) ? address : `${settings.tls ? 'https' : 'http'}://${address}`, tls };
}
