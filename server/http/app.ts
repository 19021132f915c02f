import express, { type Express } from 'express';
import type { Respond } from './respond.ts';

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
