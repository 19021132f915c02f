/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const BLOCK = /-----BEGIN ([^\n\r-][^\n\r]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g;

/** The blocks of a PEM text (RFC 7468); anything between them is skipped, and so are blocks that are not base64. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, type = '', content = ''] of text.matchAll(BLOCK)) {
    const lines = content.split(/\r?\n/);
    const body = lines.filter((line) => !line.includes(':')).join('');
    const base64 = body.replace(/\s+/g, '');
    if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) continue;
    blocks.push({ type, hasHeaders: lines.some((line) => line.includes(':')), der: Buffer.from(base64, 'base64') });
  }
  return blocks;
}
