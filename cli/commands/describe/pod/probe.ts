import type { Probe } from '#schema/generated/core.v1.ts';

/** A probe in one line, with its check and its intervals. */
export function probeText(probe: Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 0, periodSeconds = 0, successThreshold, failureThreshold } = probe;
  const often = `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s`;
  return `${asked(probe)} ${often} #success=${successThreshold ?? 0} #failure=${failureThreshold ?? 0}`;
}

function asked({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet) {
    const { scheme = '', host = '', port, path = '' } = httpGet;
    const slash = path === '' || path.startsWith('/') ? '' : '/';
    return `http-get ${scheme.toLowerCase()}://${within(host)}:${port}${slash}${escapedPath(path)}`;
  }
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`;
  return 'unknown';
}

function within(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** A path with the escapes of a URL. */
function escapedPath(path: string): string {
  return path.replaceAll(/[^\w.~$&+,/:;=@-]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
