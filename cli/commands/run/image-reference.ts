const DOMAIN =
  '(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const NAME = `(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*`;
const TAG = '\\w[\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const LONGEST_NAME = 255;
const DIGEST_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

/** The largest length of a text that is examined. Longer texts cannot be names of images. */
const LONGEST = 1000;

/** Whether a text has the form of an image's name. */
export function isReference(text: string): boolean {
  return text.length <= LONGEST && REFERENCE.test(text);
}

/** The error about an image's name. Undefined means that the name is correct. */
export function mistakeInImage(text: string): string | undefined {
  const match = text.length > LONGEST ? null : REFERENCE.exec(text);
  if (match === null) return 'invalid reference format';
  if (match[1]!.length > LONGEST_NAME) return 'repository name must not be more than 255 characters';
  const digest = match[3];
  if (digest === undefined) return undefined;
  const [algorithm = '', hex = ''] = digest.split(':');
  const length = DIGEST_LENGTHS.get(algorithm);
  if (length === undefined) return 'unsupported digest algorithm';
  if (hex.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]+$/.test(hex) ? undefined : 'invalid checksum digest format';
}
