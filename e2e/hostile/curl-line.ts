import type { HostileRequest } from './make-request.ts';

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A request as a line for a shell. `$PKI` is the folder of certificates, and `$TOKEN` is the token of an ordinary user.
 */
export function curlLine(request: HostileRequest, port: number): string {
  const { as, method, target, headers, body } = request;
  const who = {
    admin: '--cert $PKI/admin.crt --key $PKI/admin.key',
    user: '-H "Authorization: Bearer $TOKEN"',
    anonymous: '',
  };
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : ['--data-binary @-'];
  const from = body === undefined ? '' : `base64 -d <<< ${body.toString('base64')} | `;
  const words = [`-X ${method}`, who[as], ...sent, ...data, quoted(`https://localhost:${port}${target}`)];
  return `${from}curl -sg --cacert $PKI/ca.crt --path-as-is ${words.filter((word) => word !== '').join(' ')}`;
}
