import type { Naming } from '#base/naming/naming.ts';

/** The protocols that carry the streams of a process, by version. With version 5 the client can end the input. */
export function channelProtocols(naming: Naming, versions: readonly number[]): string[] {
  return versions.map((version) => naming.domain(`v${version}.channel`));
}

/** The protocol that carries connections to ports over SPDY. */
export function portForwardProtocol(naming: Naming): string {
  return naming.domain('portforward');
}

/** The same protocol in a web socket, whose messages carry SPDY. */
export function tunnelProtocol(naming: Naming): string {
  return `SPDY/3.1+${portForwardProtocol(naming)}`;
}
