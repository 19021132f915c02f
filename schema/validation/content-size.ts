/** The largest number of bytes that all values of a config map or secret may have together. */
export const MAX_CONTENT_BYTES = 1024 * 1024;

/** The number of bytes that a canonical base64 text encodes. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
