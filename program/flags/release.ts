import { defaultRelease, type Release } from '#base/release/release.ts';

/** The parts of a release as clients and metrics read them. */
export interface ReleaseParts {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** A release as clients and metrics read it. */
export function releaseParts({ major, minor, gitVersion }: Release): ReleaseParts {
  return { major: String(major), minor: String(minor), gitVersion };
}

/** The release of the interface that programs use if no flag names another. */
export const RELEASE: ReleaseParts = releaseParts(defaultRelease);
