import type { Lifespan, Release } from '#base/release/release.ts';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import type { BootstrapBinding, BootstrapPolicy, BootstrapRole } from './policy-objects.ts';

type DatedRule = PolicyRule & Lifespan;

/** How releases after the first one change an object of the initial policy of every cluster. */
export interface LaterPolicy extends Omit<BootstrapRole, 'rules' | 'labels' | 'annotations'>, Lifespan {
  readonly in: keyof BootstrapPolicy;
  /** The labels of an object that a later release adds. */
  readonly labels?: BootstrapRole['labels'];
  readonly annotations?: BootstrapRole['annotations'];
  readonly subjects?: BootstrapBinding['subjects'];
  readonly roleRef?: BootstrapBinding['roleRef'];
  /** Rules of the first release that are removed. */
  readonly drops?: readonly DatedRule[];
  readonly adds?: readonly DatedRule[];
}

type Objects = readonly (BootstrapRole | BootstrapBinding)[];

/** The policy of a release: the policy of the first release, with all later changes. */
export function policyOf(release: Release, first: BootstrapPolicy, changes: readonly LaterPolicy[]): BootstrapPolicy {
  if (changes.every((change) => !touches(change, release))) return first;
  const policy = { ...first } as Record<keyof BootstrapPolicy, Objects>;
  for (const change of changes) {
    if (!touches(change, release)) continue;
    const objects = policy[change.in];
    const is = (object: Objects[number]) => object.name === change.name && object.namespace === change.namespace;
    policy[change.in] = objects.some(is)
      ? objects.map((object) => (is(object) ? changed(object as BootstrapRole, change, release) : object))
      : [...objects, added(change, release)];
  }
  return policy as unknown as BootstrapPolicy;
}

function touches({ since, until, drops = [], adds = [] }: LaterPolicy, release: Release): boolean {
  if (!release.serves({ since, until })) return false;
  return (
    since !== undefined || adds.some((rule) => release.serves(rule)) || drops.some((rule) => !release.serves(rule))
  );
}

function changed(object: BootstrapRole, { drops = [], adds = [] }: LaterPolicy, release: Release): BootstrapRole {
  const gone = new Set(drops.filter((rule) => !release.serves(rule)).map(textOf));
  const rules = (object.rules ?? []).filter((rule) => !gone.has(textOf(rule)));
  return { ...object, rules: [...rules, ...inForce(adds, release)] };
}

function added(
  { in: list, adds = [], labels = {}, annotations = {}, ...rest }: LaterPolicy,
  release: Release,
): Objects[number] {
  const { since: _since, until: _until, drops: _drops, ...object } = rest;
  const rules = list.endsWith('oles') ? { rules: inForce(adds, release) } : {};
  return { ...object, labels, annotations, ...rules } as Objects[number];
}

function inForce(rules: readonly DatedRule[], release: Release): PolicyRule[] {
  return rules.filter((rule) => release.serves(rule)).map(({ since: _since, until: _until, ...rule }) => rule);
}

/** Equal texts for equivalent rules. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list?.toSorted()));
}
