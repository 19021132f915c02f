import { isIP, type Socket } from 'node:net';

/** The credentials of a client for a proxy. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

const VERSION = 5;
const WITHOUT_LOGIN = 0;
const WITH_LOGIN = 2;
const CONNECT = 1;
const NAME = 3;
const IPV4 = 1;
const IPV6 = 4;
/** Why a proxy does not connect (RFC 1928, 6). */
const REFUSALS = [
  '',
  'it failed',
  'its rules do not allow this connection',
  'the network is unreachable',
  'the host is unreachable',
  'the connection was refused',
  'the connection took too long',
];

/**
 * Makes a SOCKS proxy (RFC 1928, and RFC 1929 for the login) connect a socket to an address. The proxy resolves names.
 *
 * @param socket a connection to the proxy that has not been used yet
 * @throws Error if the proxy refuses, or if its answer is not valid
 * @example await connectBySocks(net.connect(1080, 'proxy.example.com'), undefined, '10.0.0.1', 6443)
 */
export async function connectBySocks(
  socket: Socket,
  login: Login | undefined,
  host: string,
  port: number,
): Promise<void> {
  const methods = login === undefined ? [WITHOUT_LOGIN] : [WITHOUT_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method = 255] = await read(socket, 2);
  if (version !== VERSION) throw new Error('it does not speak SOCKS 5');
  if (!methods.includes(method)) throw new Error('it takes no login that is known');
  if (method === WITH_LOGIN && login !== undefined) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(login.user), counted(login.password)]));
    const [, refused] = await read(socket, 2);
    if (refused !== 0) throw new Error('it refuses the login');
  }
  const target = Buffer.alloc(2);
  target.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(host), target]));
  const [, code = 1, , kind = NAME] = await read(socket, 4);
  if (code !== 0) throw new Error(REFUSALS[code] ?? `it answered ${code}`);
  // The address from which the proxy has connected.
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : (await read(socket, 1))[0]!;
  await read(socket, length + 2);
}

/** The address in the form of the protocol: an IPv4 address in four bytes, and everything else as a name. */
function addressOf(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  return Buffer.concat([Buffer.from([NAME]), counted(host)]);
}

/** A text after its length. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name or a password is longer than 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads exactly this many bytes. Later bytes stay in the socket. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  const bytes: Buffer[] = [];
  while (bytes.length < length) {
    // It reads byte by byte. A socket with fewer bytes than requested reports again and again that it is readable.
    const byte = socket.read(1) as Buffer | null;
    if (byte === null) await readable(socket);
    else bytes.push(byte);
  }
  return Buffer.concat(bytes);
}

/** Resolves when an empty socket has something to read. */
function readable(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => socket.off('readable', go).off('error', fail).off('end', closed).off('close', closed);
    const go = () => {
      // The socket is also readable after the other side has ended.
      if (socket.readableLength === 0) return;
      end();
      resolve();
    };
    const fail = (error: Error) => {
      end();
      reject(error);
    };
    const closed = () => fail(new Error('it closed the connection'));
    socket.on('readable', go).once('error', fail).once('end', closed).once('close', closed);
  });
}
