import type { Duplex } from 'node:stream';
import { SpdySession } from '#client/streams/spdy.ts';

/** Answers connections to a port of a pod with a page which says that the port is simulated. */
export function answerPorts(under: Duplex, words: string): void {
  const session = new SpdySession(under, 'server', (stream) => {
    const { streamtype, port = '' } = stream.headers;
    stream.on('error', () => {});
    if (streamtype === 'error') {
      stream.end();
      return;
    }
    const body = `simulated: port ${port} of ${words}\n`;
    stream.once('data', () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close`;
      stream.end(`${head}\r\n\r\n${body}`);
      stream.resume();
    });
    stream.once('end', () => stream.end());
  });
  void session.closed.then(() => under.destroy());
}
