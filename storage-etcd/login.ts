import protobuf from 'protobufjs/minimal.js';
import { CallError, status } from './call-error.ts';
import { failureOf } from './failure.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import { frameOf } from './grpc-frame.ts';
import type { Metadata } from './grpc-session.ts';
import { DELIMITED, eachField, tag } from './protobuf-fields.ts';

export interface User {
  readonly user: string;
  readonly password: string;
}

/** Calls to one member by a logged-in user: each carries a token. */
export class Login {
  readonly #channel: GrpcChannel;
  readonly #user: User;
  readonly #timeoutMs: number;
  #token: string | undefined;
  #asking: Promise<string> | undefined;

  constructor(channel: GrpcChannel, user: User, timeoutMs: number) {
    this.#channel = channel;
    this.#user = user;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Like `GrpcChannel.unary`. If etcd does not know the token or knows it no longer, it has not processed the request.
   * The request is then sent again with a new token.
   */
  async unary(
    path: string,
    frame: Buffer,
    timeoutMs: number,
    signal?: AbortSignal,
    metadata?: Metadata,
  ): Promise<Buffer> {
    const giveUpAt = performance.now() + timeoutMs;
    for (let again = false; ; again = true) {
      const token = await this.#current();
      const left = giveUpAt - performance.now();
      if (left <= 0) throw CallError.unsent('Deadline exceeded while logging in');
      try {
        return await this.#channel.unary(path, frame, left, signal, { ...metadata, token });
      } catch (error) {
        if (again || !isVoid(error)) throw error;
        if (this.#token === token) this.#token = undefined;
      }
    }
  }

  /** A new token for a stream. An expired token would be noticed only after the first request of the stream. */
  renew(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The token. Callers that need it during a login share the answer. */
  #current(): string | Promise<string> {
    return this.#token ?? this.renew();
  }

  async #ask(): Promise<string> {
    const { user, password } = this.#user;
    const request = protobuf.Writer.create();
    request.uint32(tag(1, DELIMITED)).string(user).uint32(tag(2, DELIMITED)).string(password);
    try {
      const answer = await this.#channel.unary('/etcdserverpb.Auth/Authenticate', frameOf(request), this.#timeoutMs);
      this.#token = readToken(answer);
      return this.#token;
    } catch (error) {
      // The outcome of this request does not matter: the request that waits for the token was not sent.
      const failure = failureOf(error);
      throw failure.kind === 'refused' ? error : CallError.unsent(`no login: ${failure.message}`);
    }
  }
}

/** The token of an `AuthenticateResponse`. */
function readToken(answer: Buffer): string {
  const reader = protobuf.Reader.create(answer);
  let token = '';
  eachField(reader, reader.len, (key) => {
    if (key === tag(2, DELIMITED)) token = reader.string();
  });
  if (token === '') throw new Error('an answer without a token');
  return token;
}

function isVoid(error: unknown): boolean {
  return (
    error instanceof CallError &&
    error.answered &&
    error.code === status.unauthenticated &&
    error.message.includes('invalid auth token')
  );
}
