import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { pathSegment } from '#client/path-segment.ts';
import { openPortForward, type PortForward } from '#client/streams/port-forward.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import { runningTimeout, runningTimeoutFlag } from '../../streams/flags.ts';
import { firstPod, namedObject, podSelectorOf } from '../../streams/pod-of.ts';
import { listen, parseAddresses } from './listen.ts';
import { numbered, type PortPair, portPairs } from './ports.ts';

export const portForward: Command = {
  name: 'port-forward',
  short: 'Forward one or more local ports to a pod',
  long: 'Listens on ports of this machine and forwards connections to ports of a pod, until the command is interrupted or the pod ends. For a service, a deployment or a similar object it uses the first pod that matches.',
  examples: [
    '# Forward ports 5000 and 6000 to the same ports of a pod',
    '{} port-forward pod/web 5000 6000',
    '',
    '# Forward port 8443 to the port https of a service',
    '{} port-forward service/web 8443:https',
    '',
    '# Forward a free port on all addresses to port 5000',
    '{} port-forward --address 0.0.0.0 deployment/web :5000',
  ].join('\n'),
  usage: 'TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]',
  flags: [
    { name: 'address', type: 'strings', help: 'IP addresses of this machine to listen on; by default localhost' },
    runningTimeoutFlag('1m0s'),
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  if (args.length < 2) throw new UsageError('TYPE/NAME and list of ports are required for port-forward');
  const timeoutMs = runningTimeout(invocation, true);
  const named = await namedObject(session, args[0]!);
  const pod =
    named.group === '' && named.object.kind === 'Pod'
      ? (named.object as unknown as Pod)
      : (await firstPod(invocation, podSelectorOf(named, 'attach to'), timeoutMs)).pod;
  const service = named.group === '' && named.object.kind === 'Service' ? named.object : undefined;
  const texts = args.slice(1).map((text) => numbered(text, pod, service));
  const { phase = '' } = pod.status ?? {};
  if (phase !== 'Running')
    throw new CommandError(`unable to forward port because pod is not running. Current status=${phase}`);
  const addresses = parseAddresses(flags.has('address') ? flags.list('address') : ['localhost']);
  const pairs = portPairs(texts);
  const { name = '', namespace = '' } = pod.metadata;
  const [space, own] = [pathSegment(namespace, 'namespace'), pathSegment(name)];
  const client = await session.client();
  const path = `/api/v1/namespaces/${space}/pods/${own}/portforward`;
  const forward = await openPortForward(client, { path, timeoutMs: session.settings.requestTimeoutMs });
  const sockets = new Set<Socket>();
  const servers = await listen(pairs, addresses, io, (socket, pair) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void pass(invocation, forward, socket, pair);
  }).catch(async (error: unknown) => {
    await forward.close();
    throw error;
  });
  const stop = () => void forward.close();
  io.signal.addEventListener('abort', stop, { once: true });
  await forward.lost;
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
  if (!io.signal.aborted) throw new CommandError('lost connection to pod');
  return undefined;
}

/** Forwards one connection. An error on the pod's side ends the command, because its connection is no longer usable. */
async function pass({ io }: Invocation, forward: PortForward, socket: Socket, pair: PortPair): Promise<void> {
  io.out.write(`Handling connection for ${pair.local}\n`);
  socket.on('error', () => {});
  try {
    const { data, complaint } = await forward.connect(pair.remote);
    const ways = Promise.allSettled([pipeline(socket, data, { end: true }), pipeline(data, socket, { end: true })]);
    void ways.then(() => data.destroy());
    const text = await complaint;
    if (text === '') return;
    socket.destroy();
    io.err.write(`${logLead(io.now())}an error occurred forwarding ${pair.local} -> ${pair.remote}: ${text}\n`);
    await forward.close();
  } catch {
    socket.destroy();
  }
}

/** The beginning of lines of the log. */
function logLead(now: number): string {
  const time = new Date(now);
  const two = (number: number) => String(number).padStart(2, '0');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  const micro = `${String(time.getMilliseconds()).padStart(3, '0')}000`;
  return `E${two(time.getMonth() + 1)}${two(time.getDate())} ${clock}.${micro} ${String(process.pid).padStart(7)} port-forward] `;
}
