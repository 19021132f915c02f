/** The supported schemes of proxies. */
const SCHEMES = ['http:', 'https:', 'socks5:'];

/** Whether a text is the address of a proxy that the library can use. */
export function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && SCHEMES.includes(new URL(text).protocol) && new URL(text).hostname !== '';
}
