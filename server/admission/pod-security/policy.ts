import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';

export const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** A level in the form of a release, which is given by its minor number. Infinity means the latest form. */
export interface Standard {
  readonly level: Level;
  readonly version: number;
}

export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

/** The policy of a namespace for its pods. */
export type Policy = Readonly<Record<Mode, Standard>>;

const LEVEL_NEEDED = `must be one of ${levels.join(', ')}`;
const VERSION_NEEDED = 'must be "latest" or "v1.x"';

function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

/** The minor number of `v1.N`. Infinity for `latest`, and undefined for any other text. */
export function parseVersion(text: string): number | undefined {
  if (text === 'latest') return Number.POSITIVE_INFINITY;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** `v1.24` or `latest`. */
export function shownVersion({ version }: Standard): string {
  return Number.isFinite(version) ? `v1.${version}` : 'latest';
}

/** `baseline:v1.24`. */
export function shownStandard(standard: Standard): string {
  return `${standard.level}:${shownVersion(standard)}`;
}

export function sameStandard(a: Standard, b: Standard): boolean {
  return a.level === b.level && a.version === b.version;
}

export function isStricter(a: Level, b: Level): boolean {
  return levels.indexOf(a) > levels.indexOf(b);
}

type Labels = Readonly<Record<string, string>> | undefined;

/**
 * Reads the policy labels of a namespace. They take precedence over the defaults. A malformed label counts as the
 * strictest level for `enforce`, and as no restriction for warnings and audit.
 */
export function policyReader(
  naming: Naming,
  defaults: Policy,
): (labels: Labels) => { readonly policy: Policy; readonly errors: readonly FieldError[] } {
  const path = new FieldPath('metadata').child('labels');
  const keys = modes.map((mode) => {
    const level = naming.key(`pod-security/${mode}`);
    return { mode, level, version: `${level}-version` };
  });
  const unlabelled = { policy: defaults, errors: [] };
  return (labels) => {
    if (labels === undefined) return unlabelled;
    const errors: FieldError[] = [];
    const policy = { ...defaults };
    for (const { mode, level, version } of keys) {
      const levelText = labels[level];
      const versionText = labels[version];
      if (levelText !== undefined) {
        const parsed = parseLevel(levelText);
        if (parsed === undefined) errors.push(invalidValue(path.key(level), levelText, LEVEL_NEEDED));
        const otherwise = mode === 'enforce' ? 'restricted' : 'privileged';
        policy[mode] = { ...policy[mode], level: parsed ?? otherwise };
      }
      if (versionText !== undefined) {
        const parsed = parseVersion(versionText);
        if (parsed === undefined) errors.push(invalidValue(path.key(version), versionText, VERSION_NEEDED));
        policy[mode] = { ...policy[mode], version: parsed ?? Number.POSITIVE_INFINITY };
      }
    }
    return { policy, errors };
  };
}
