/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A block of a text: the lines inside it, without surrounding blanks. */
interface Section {
  readonly type: string;
  readonly lines: readonly string[];
}

/**
 * The blocks of a PEM text (RFC 7468). Text between blocks is skipped. A block starts at the last begin line before its
 * end line, so each line is read once.
 */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let type: string | undefined;
  let lines: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
      type = line.slice(BEGIN.length, -DASHES.length);
      lines = [];
    } else if (type !== undefined && line.startsWith(END)) {
      if (line === `${END}${type}${DASHES}`) sections.push({ type, lines });
      type = undefined;
    } else if (type !== undefined) lines.push(line);
  }
  return sections;
}

/** The blocks of a PEM text, without those that are not base64. */
export function pemBlocks(text: string): PemBlock[] {
  return sectionsOf(text).flatMap(({ type, lines }) => {
    const first = lines.findIndex((line) => !line.includes(':'));
    const headers = first < 0 ? lines.length : first;
    const base64 = lines.slice(headers).join('').replace(/[ \t]/g, '');
    if (base64.length % 4 !== 0 || !BASE64.test(base64)) return [];
    return [{ type, hasHeaders: headers > 0, der: Buffer.from(base64, 'base64') }];
  });
}

/** The separate blocks of a PEM text, with any content. */
export function pemTexts(text: string): { readonly type: string; readonly pem: string }[] {
  return sectionsOf(text).map(({ type, lines }) => ({
    type,
    pem: [`${BEGIN}${type}${DASHES}`, ...lines, `${END}${type}${DASHES}`, ''].join('\n'),
  }));
}

/** Each certificate of a PEM text as a separate text. */
export function certificatesIn(text: string): string[] {
  return pemTexts(text).flatMap(({ type, pem }) => (type === 'CERTIFICATE' ? [pem] : []));
}
