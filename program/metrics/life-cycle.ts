import type { FamilyDefinition } from './family-definition.ts';

/** A release of the interface, by its numbers. */
export interface Release {
  readonly major: string;
  readonly minor: string;
}

/** The visibility of a family in a release. */
export type LifeStage = 'current' | 'deprecated' | 'hidden' | 'deleted';

/**
 * This many releases after its deprecation, a family is shown only if a flag asks for it. One release later it is never
 * shown.
 */
const HIDDEN_AFTER = 3;

function minor(version: string, { major }: Release): number {
  const [, ownMajor, ownMinor] = /^(\d+)\.(\d+)$/.exec(version) ?? [];
  if (ownMajor !== major || ownMinor === undefined) throw new Error(`${version} is no release of ${major}.x`);
  return Number(ownMinor);
}

/** The stage of a family's life in a release. */
export function lifeStage({ deprecatedSince }: Pick<FamilyDefinition, 'deprecatedSince'>, release: Release): LifeStage {
  if (deprecatedSince === undefined) return 'current';
  const age = Number(release.minor) - minor(deprecatedSince, release);
  if (age < 0) return 'current';
  if (age < HIDDEN_AFTER) return 'deprecated';
  return age === HIDDEN_AFTER ? 'hidden' : 'deleted';
}

/** The help text of a family for people, with its stability and the release that deprecated it. */
export function shownHelp(definition: FamilyDefinition, release: Release): string {
  const { stability, deprecatedSince, help } = definition;
  const level = stability === undefined ? '' : `[${stability}] `;
  const announced = deprecatedSince !== undefined && lifeStage(definition, release) !== 'current';
  return `${level}${announced ? `(Deprecated since ${deprecatedSince}.0) ` : ''}${help}`;
}
