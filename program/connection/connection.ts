import { ConfigError } from '#base/errors/config-error.ts';

/** A text, or the file that contains it. The file is read again when it changes. */
export type TextSource = { readonly text: string } | { readonly file: string };

/** How to reach a server. Certificates are PEM. */
export interface Cluster {
  readonly server: string;
  readonly ca?: TextSource;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to verify in the server's certificate, if it is not the host of `server`. */
  readonly tlsServerName?: string;
  /**
   * The proxy for the connection: `http://`, `https://` or `socks5://`, with a user and a password if necessary.
   */
  readonly proxyUrl?: string;
  /** The value that a credential plug-in gets as `spec.cluster.config`. */
  readonly pluginConfig?: unknown;
}

/** A program that prints credentials. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The apiVersion, with the group, that the plug-in's answer must have. */
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

/** The user for whom requests are made instead (impersonation). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The credentials of a client. */
export interface User {
  readonly clientCertificate?: TextSource;
  readonly clientKey?: TextSource;
  readonly token?: TextSource;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecPlugin;
  readonly impersonate?: Impersonation;
}

/** One context of a connection file: how to reach a server, and with which credentials. */
export interface Connection {
  readonly cluster: Cluster;
  readonly user: User;
  /** The namespace of commands that name none. */
  readonly namespace?: string;
}

/**
 * A mistake in a connection file or in a file that it names. The message has the place and the mistake, and no secret.
 */
export class ConnectionFileError extends ConfigError {
  override readonly name = 'ConnectionFileError';
}
