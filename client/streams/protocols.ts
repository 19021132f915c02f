import type { Naming } from '#base/naming/naming.ts';

/** How the streams of a process are carried, by version; the fifth can end its input. */
export function channelProtocols(naming: Naming, versions: readonly number[]): string[] {
  return versions.map((version) => naming.domain(`v${version}.channel`));
}

/** How connections to ports are carried over SPDY. */
export function portForwardProtocol(naming: Naming): string {
  return naming.domain('portforward');
}

/** The same as a protocol of a web socket, which carries SPDY in its messages. */
export function tunnelProtocol(naming: Naming): string {
  return `SPDY/3.1+${portForwardProtocol(naming)}`;
}
