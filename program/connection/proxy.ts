import http from 'node:http';
import net, { type Socket } from 'node:net';
import { timerMs } from '#base/time/longest-timer.ts';
import { isProxyUrl } from './proxy-url.ts';
import { connectBySocks, type Login } from './socks.ts';

/** Opens a connection to an address in a special way. Rejects with an Error if this fails or takes too long. */
export type Dial = (host: string, port: number) => Promise<Socket>;

/**
 * Connections through a proxy. An HTTP proxy is asked for a tunnel (CONNECT), over TLS if its address begins with
 * `https:`. A SOCKS proxy is asked in version 5. The proxy gets the user and the password of the address.
 *
 * @param proxy as `proxy-url` of a connection file names it, `http://user:password@host:port`
 * @param timeoutMs the time limit for the tunnel
 * @throws TypeError if the text is not the address of a proxy ({@link isProxyUrl})
 * @example const socket = await dialThrough('http://proxy.example.com:3128', 10_000)('10.0.0.1', 6443);
 */
export function dialThrough(proxy: string, timeoutMs: number): Dial {
  if (!isProxyUrl(proxy)) throw new TypeError('the address of the proxy is not usable');
  const url = new URL(proxy);
  const login = loginOf(url);
  if (url.protocol !== 'socks5:') return (host, port) => connectByHttp(url, login, host, port, timeoutMs);
  const address = { host: hostOf(url), port: Number(url.port || 1080) };
  return (host, port) => inTime(net.connect(address), timeoutMs, (socket) => connectBySocks(socket, login, host, port));
}

async function connectByHttp(
  proxy: URL,
  login: Login | undefined,
  host: string,
  port: number,
  timeoutMs: number,
): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const { request: make } = isSecure ? (await import('node:https')).default : http;
  const target = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = make({
      method: 'CONNECT',
      host: hostOf(proxy),
      port: proxy.port || (isSecure ? 443 : 80),
      path: target,
      headers: {
        host: target,
        ...(login && {
          'proxy-authorization': `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`,
        }),
      },
      agent: false,
    });
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timerMs(timeoutMs));
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(new Error(`the proxy ${proxy.host}: ${error.message}`, { cause: error }));
    };
    request.on('error', fail);
    request.once('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        fail(new Error(`it answered ${statusCode}`));
        return;
      }
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

/** Prepares a new connection to a proxy. Closes it after an error or after the time limit. */
async function inTime(socket: Socket, timeoutMs: number, prepare: (socket: Socket) => Promise<void>): Promise<Socket> {
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timerMs(timeoutMs));
  try {
    await prepare(socket);
    return socket;
  } catch (error) {
    socket.destroy();
    throw new Error(`the proxy: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function loginOf({ username, password }: URL): Login | undefined {
  if (username === '') return undefined;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
