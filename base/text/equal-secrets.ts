import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that reveals nothing about them. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
