/** The credentials of a client. Only a token may be in a file; certificates and keys are PEM texts. */
export interface LoadedCredentials {
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  /** The file of the token; it is read again for each use, because its content rotates. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
}

/** The address of a server and the credentials for it. A file contains these values, or a server uses them. */
export interface LoadedConnection extends LoadedCredentials {
  readonly server: string;
  readonly ca?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to verify in the server's certificate, if it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** The proxy for the connection: `http://`, `https://` or `socks5://`. */
  readonly proxyUrl?: string;
  /** The namespace of commands that name none. */
  readonly namespace?: string;
}
