import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, startTlsServer, type TestServer } from '../../../authentication/testing/tls-server.ts';

/** An AdmissionReview that the server received. */
export interface HookCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The version of the review. */
  readonly apiVersion: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any kind
  readonly request: any;
  /** Whether the client disconnected before the answer. */
  abandoned: boolean;
  readonly peer: string | undefined;
}

/** The behaviour of a path of the hook server. An empty one allows the request. */
export interface Behaviour {
  readonly delayMs?: number;
  /** With this number, the server answers only when as many requests wait. */
  readonly together?: number;
  /** Fields of the response. */
  readonly response?: object;
  readonly patch?: readonly object[];
  /** A text to answer instead. */
  readonly raw?: string;
  readonly status?: number;
}

/** A webhook backend on loopback. `behaviours` has an entry for the last part of a path, without the slash. */
export interface HookServer extends TestServer {
  readonly calls: readonly HookCall[];
  readonly sockets: number;
}

function review(body: { apiVersion: string; request: { uid: string } }, { response, patch }: Behaviour): object {
  const encoded = patch && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return {
    apiVersion: body.apiVersion,
    kind: 'AdmissionReview',
    response: { uid: body.request.uid, allowed: true, ...encoded, ...response },
  };
}

/** Starts a backend. */
export async function startHookServer(
  behaviours: Readonly<Record<string, Behaviour>>,
  options: { readonly requireClient?: boolean; readonly hosts?: readonly string[] } = {},
): Promise<HookServer> {
  const calls: HookCall[] = [];
  const sockets = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse, text: string): void => {
    sockets.add(request.socket);
    const path = (request.url ?? '').slice(1).split('?')[0]!;
    const behaviour = behaviours[path] ?? {};
    const body = JSON.parse(text);
    const peer = (
      request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
    ).getPeerCertificate().subject?.CN;
    const call: HookCall = {
      path,
      headers: request.headers,
      apiVersion: body.apiVersion,
      request: body.request,
      abandoned: false,
      peer,
    };
    calls.push(call);
    response.once('close', () => {
      call.abandoned = !response.writableFinished;
    });
    waiting.push(() => {
      if (behaviour.raw !== undefined) response.writeHead(behaviour.status ?? 200).end(behaviour.raw);
      else answerJson(response, review(body, behaviour), behaviour.status ?? 200);
    });
    if (waiting.length < (behaviour.together ?? 1)) return;
    for (const answer of waiting.splice(0)) setTimeout(answer, behaviour.delayMs ?? 0);
  };
  const server = await startTlsServer(handle, options.requireClient, options.hosts);
  return {
    url: server.url,
    ca: server.ca,
    authority: server.authority,
    get requests() {
      return server.requests;
    },
    stop: () => server.stop(),
    calls,
    get sockets() {
      return sockets.size;
    },
  };
}
