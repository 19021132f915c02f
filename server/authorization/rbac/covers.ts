import type { Steps } from '#base/time/steps.ts';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';

const ALL = '*';

/** The largest number of simple rules in a result. A rule with a few hundred short texts means billions of rights. */
const MOST_FOUND = 10_000;

/** The largest number of comparisons in a check, and the number of comparisons without a pause. */
const MOST_WORK = 1_000_000;
const PAUSE = 20_000;

/** The error about rules that mean too many rights to compare each of them with the rules of a user. */
export class TooManyRightsError extends Error {}

/** Counts comparisons. */
class Work {
  #left: number;
  #sincePause = 0;

  constructor(most: number) {
    this.#left = most;
  }

  /** @throws TooManyRightsError if there are too many */
  count(comparisons: number): void {
    this.#left -= comparisons;
    this.#sincePause += comparisons;
    if (this.#left < 0) throw new TooManyRightsError('the rules stand for too many rights to compare');
  }

  /** Whether it is time for a pause. */
  get due(): boolean {
    if (this.#sincePause < PAUSE) return false;
    this.#sincePause = 0;
    return true;
  }
}

/** A rule with one verb, and with one group, one resource and at most one name, or with one path. */
interface Simple {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string | undefined;
  readonly url?: string;
}

/** The rights of a rule, each once. */
class Rights {
  readonly #verbs: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #resources: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #urls: ReadonlySet<string>;
  /** The paths without the star, for patterns that end with a star. */
  readonly #prefixes: readonly string[];

  constructor({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) {
    this.#verbs = new Set(verbs);
    this.#groups = new Set(apiGroups);
    this.#resources = new Set(resources);
    this.#names = new Set(resourceNames);
    this.#urls = new Set(nonResourceURLs);
    this.#prefixes = [...this.#urls].filter((url) => url.endsWith(ALL)).map((url) => url.slice(0, -1));
  }

  /** The number of their texts. */
  get size(): number {
    return this.#verbs.size + this.#groups.size + this.#resources.size + this.#names.size + this.#urls.size;
  }

  /** The simple rules that have the same meaning. */
  *simple(): Generator<Simple> {
    const names = this.#names.size === 0 ? [undefined] : this.#names;
    for (const group of this.#groups)
      for (const resource of this.#resources)
        for (const verb of this.#verbs) for (const name of names) yield { verb, group, resource, name };
    for (const url of this.#urls) for (const verb of this.#verbs) yield { verb, url };
  }

  /** Whether these rights include all of the others. */
  coverAll(others: Rights, work: Work): boolean {
    const every = (values: ReadonlySet<string>, test: (value: string) => boolean): boolean => {
      for (const value of values) {
        work.count(1);
        if (!test(value)) return false;
      }
      return true;
    };
    work.count(1);
    return (
      (this.#names.size === 0 || (others.#names.size > 0 && every(others.#names, (name) => this.#names.has(name)))) &&
      every(others.#verbs, (verb) => includes(this.#verbs, verb)) &&
      every(others.#groups, (group) => includes(this.#groups, group)) &&
      every(others.#resources, (resource) => this.#coverResource(resource)) &&
      every(others.#urls, (url) => this.#coverUrl(url, work))
    );
  }

  /** Whether these rights include a simple rule. */
  cover({ verb, group, resource, name, url }: Simple, work: Work): boolean {
    work.count(1);
    if (!includes(this.#verbs, verb)) return false;
    if (this.#names.size > 0 && (name === undefined || !this.#names.has(name))) return false;
    if (url !== undefined) return this.#coverUrl(url, work);
    return includes(this.#groups, group ?? '') && this.#coverResource(resource ?? '');
  }

  /** Whether the rights cover a resource. `*` and `*` + subresource match many resources. */
  #coverResource(resource: string): boolean {
    if (includes(this.#resources, resource)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && this.#resources.has(ALL + resource.slice(slash));
  }

  #coverUrl(url: string, work: Work): boolean {
    if (this.#urls.has(url)) return true;
    work.count(this.#prefixes.length);
    return this.#prefixes.some((prefix) => url.startsWith(prefix));
  }
}

function includes(held: ReadonlySet<string>, value: string): boolean {
  return held.has(value) || held.has(ALL);
}

function ruleOf({ verb, group, resource, name, url }: Simple): PolicyRule {
  if (url !== undefined) return { verbs: [verb], nonResourceURLs: [url] };
  const named = name === undefined ? {} : { resourceNames: [name] };
  return { verbs: [verb], apiGroups: [group ?? ''], resources: [resource ?? ''], ...named };
}

/**
 * The first simple rules of `wanted` that no rule of `held` covers. A simple rule has one verb, one group, one resource
 * and at most one name, or one verb and one path. The list is empty only if all are covered.
 *
 * @param most the largest number of comparisons
 * @throws TooManyRightsError if more are needed
 */
export function* uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  most = MOST_WORK,
): Steps<PolicyRule[]> {
  const work = new Work(most);
  const mine: Rights[] = [];
  for (const rule of held) {
    const rights = new Rights(rule);
    mine.push(rights);
    work.count(rights.size);
    if (work.due) yield;
  }
  const found: PolicyRule[] = [];
  for (const rule of wanted) {
    const rights = new Rights(rule);
    work.count(rights.size);
    if (mine.some((own) => own.coverAll(rights, work))) continue;
    for (const simple of rights.simple()) {
      work.count(1);
      if (work.due) yield;
      if (mine.some((own) => own.cover(simple, work))) continue;
      found.push(ruleOf(simple));
      if (found.length >= MOST_FOUND) return found;
    }
  }
  return found;
}
