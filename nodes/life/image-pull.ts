/** The reason why an image is missing: its name is invalid, or no image of this name can be pulled. */
export type NoImage = 'invalid' | 'unpullable';

const HOST = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const PART = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
/** The parts of an image name: a registry, the parts of a path, a tag, a digest. */
const REFERENCE = new RegExp(
  String.raw`^(?:${HOST}(?:\.${HOST})*(?::\d+)?/)?${PART}(?:/${PART})*(?::\w[\w.-]{0,127})?` +
    '(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$',
);
const LONGEST = 1024;

/** Whether the name of an image is well-formed. */
export function isImageName(image: string): boolean {
  return image.length <= LONGEST && REFERENCE.test(image);
}

/**
 * Returns a function that recognizes images that cannot be pulled, by their names.
 *
 * @param patterns names, in which `*` matches any characters
 */
export function unpullableImages(patterns: readonly string[]): (image: string) => boolean {
  const parts = patterns.map((pattern) => pattern.split('*'));
  return (image) => parts.some((some) => fits(image, some));
}

/**
 * Finds the parts of a pattern one after another. Each part is found as early as possible, and the last part at the
 * end.
 */
function fits(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  if (others.length === 0) return text === first;
  const last = others.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}

/** How long a failed pull stays visible before the container waits for the next pull. */
const FAILED_MS = 2_000;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 300_000;

/** The progress of the pulls of an image that cannot be pulled. */
export interface PullState {
  readonly reason: 'ErrImagePull' | 'ImagePullBackOff';
  /** The duration of this state, in milliseconds. */
  readonly forMs: number;
}

/**
 * The state of pulls that fail. They are tried again after 10 s, 20 s and so on up to 5 minutes. Between them the
 * container waits.
 *
 * @param elapsedMs since the first pull began
 */
export function failingPull(elapsedMs: number): PullState {
  let rest = elapsedMs;
  let wait = FIRST_WAIT_MS;
  while (rest >= FAILED_MS + wait) {
    rest -= FAILED_MS + wait;
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
  return rest < FAILED_MS
    ? { reason: 'ErrImagePull', forMs: FAILED_MS - rest }
    : { reason: 'ImagePullBackOff', forMs: FAILED_MS + wait - rest };
}
