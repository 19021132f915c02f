import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How long the check for TLS waits for a member, in milliseconds. */
const PROBE_MS = 2_000;

/** Advice about an etcd that did not answer the first request. */
export interface Advice {
  /** The advice about an error of etcd and its addresses. Empty if there is none. */
  readonly advice: string;
  /** Whether a flag must be changed. Then another attempt cannot help. */
  readonly isMistake: boolean;
}

/** Advises the operator about an etcd that did not answer the first request. */
export async function adviceAboutEtcd(servers: readonly string[], message: string): Promise<Advice> {
  const mistake = await mistakeIn(servers, message);
  if (mistake !== undefined) return { advice: mistake, isMistake: true };
  const hasTls = servers.some((server) => server.startsWith('https:'));
  const advice = hasTls ? 'check --etcd-servers, --etcd-cafile, --etcd-certfile and --etcd-keyfile' : '';
  return { advice, isMistake: false };
}

async function mistakeIn(servers: readonly string[], message: string): Promise<string | undefined> {
  if (message.includes('user name is empty'))
    return 'it wants a user: give --etcd-certfile and --etcd-keyfile, whose common name is the user for an etcd with --client-cert-auth';
  if (/permission denied|authentication failed|invalid auth/.test(message))
    return 'its user, the common name of --etcd-certfile, must be allowed to read and write everything under --etcd-prefix';
  const spoken = await Promise.all(servers.map(async (server) => ({ server, tls: await speaksTls(server) })));
  for (const { server, tls } of spoken) {
    if (tls === true && server.startsWith('http:'))
      return `${server} speaks TLS: write https:// in --etcd-servers, and give --etcd-cafile`;
    if (tls === false && server.startsWith('https:'))
      return `${server} does not speak TLS: write http:// in --etcd-servers, if that is meant`;
  }
  return undefined;
}

/** Whether the server at an address uses TLS; undefined if no server listens. */
async function speaksTls(server: string): Promise<boolean | undefined> {
  if (server.startsWith('unix')) return undefined;
  const { hostname, port, protocol } = new URL(server);
  const target = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  if (!(await listens(target))) return undefined;
  return new Promise((resolve) => {
    const socket = connectTls({ ...target, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const settle = (tls: boolean | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(tls);
    };
    // A server that asks for client certificates refuses this client only after it has sent its own certificate.
    const timer = setTimeout(() => settle(undefined), PROBE_MS);
    socket.once('secureConnect', () => settle(true));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(/alert/i.test(error.message)));
  });
}

function listens(target: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp({ ...target, timeout: PROBE_MS });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
