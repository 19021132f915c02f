import type { AuthenticationRequest } from './authenticator.ts';
import { headerText } from './authenticator.ts';

/** The token of `Authorization: Bearer`; text after it is ignored. Undefined if there is none. */
export function bearerToken(request: AuthenticationRequest): string | undefined {
  const header = headerText(request.headers['authorization']?.[0] ?? '').trim();
  const [scheme = '', token, ...rest] = header.split(' ', 3);
  if (scheme.toLowerCase() !== 'bearer' || token === undefined) return undefined;
  if (token !== '') return token;
  if (rest.length > 0)
    request.warn('the provided Authorization header contains extra space before the bearer token, and is ignored');
  return undefined;
}

/** The token in the subprotocols of a web socket upgrade. Browsers cannot set the usual header there. */
export function webSocketToken(request: AuthenticationRequest, protocolPrefix: string): string | undefined {
  const { headers } = request;
  if (!lists(headers['connection'], 'upgrade') || !lists(headers['upgrade'], 'websocket')) return undefined;
  const encoded = elements(headers['sec-websocket-protocol'])
    .find((protocol) => protocol.startsWith(protocolPrefix))
    ?.slice(protocolPrefix.length);
  if (!encoded || !/^[\w-]+$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64url').toString('utf8') || undefined;
}

function elements(values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => value.split(',')).map((element) => element.trim());
}

function lists(values: readonly string[] | undefined, wanted: string): boolean {
  return elements(values).some((element) => element.toLowerCase() === wanted);
}
