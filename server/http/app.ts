import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import type { Respond } from './respond.ts';
import { originForm } from './target.ts';

/** The adapter of HTTP/1.1 around the chain. */
export function createApp(respond: Respond): Express {
  const app = express();
  app.disable('etag').disable('x-powered-by').disable('query parser');
  app.use((request, response) => {
    const { socket } = request;
    const before = socket.bytesWritten;
    respond(request, response, () => socket.bytesWritten - before);
  });
  return app;
}

/**
 * Passes requests to the app. An absolute URL is replaced by its path, because the app would parse it again in a
 * different way.
 */
export function listenerOf(app: Express): RequestListener {
  return (request, response) => {
    request.url = originForm(request.url ?? '/');
    app(request, response);
  };
}

/** The request and response classes for a Node.js server. */
export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/** The fields in which Node.js keeps the head of an answer. */
interface KeptHead {
  readonly _header?: unknown;
  readonly _hasBody?: unknown;
  _headerSent?: unknown;
}

/** The head of an answer that is made and not sent yet. From then on it counts as sent. */
function takeHead(response: ServerResponse): string | undefined {
  const kept = response as unknown as KeptHead;
  const { _header: head, _headerSent: sent, _hasBody: hasBody } = kept;
  if (typeof head !== 'string' || sent !== false || hasBody !== true) return undefined;
  kept._headerSent = true;
  return head;
}

/**
 * The request and response classes of the app, for the server that creates the messages. Express changes the prototype
 * of other messages. An object whose prototype has changed is slow for all code that uses it. See
 * docs/decisions/express-and-http2.md.
 */
export function messagesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {
    takeHead(): string | undefined {
      return takeHead(this);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}
