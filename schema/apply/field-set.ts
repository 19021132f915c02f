import { memberElement, type PathElement, pathElementOrder } from './path-element.ts';

/** One step of a set: whether the path that ends here is in the set, and the steps below. */
export interface FieldNode {
  readonly member: boolean;
  readonly children: FieldSet | undefined;
}

/**
 * The number of steps from which a set is large. In a large set, it is worth counting first how many steps are removed.
 */
const WIDE = 64;

const MEMBER: FieldNode = { member: true, children: undefined };

/**
 * A set of field paths, kept as a tree. Sets never change. A result shares parts with its sources, and an operation
 * without effect returns the set itself. No branch of a set is empty.
 */
export class FieldSet {
  /** The set without paths. */
  static readonly empty = new FieldSet(new Map());

  readonly nodes: ReadonlyMap<PathElement, FieldNode>;

  constructor(nodes: ReadonlyMap<PathElement, FieldNode>) {
    this.nodes = nodes;
  }

  /** The set of paths through object members only, such as `['metadata', 'name']`. */
  static ofMembers(...paths: readonly (readonly string[])[]): FieldSet {
    let set = FieldSet.empty;
    for (const path of paths) {
      const single = path.reduceRight<FieldSet | undefined>(
        (below, name) =>
          new FieldSet(
            new Map([[memberElement(name), below === undefined ? MEMBER : { member: false, children: below }]]),
          ),
        undefined,
      );
      if (single !== undefined) set = set.union(single);
    }
    return set;
  }

  /**
   * The set of the paths in any of the sets. Neighbouring sets are joined first, so that no set is copied again and
   * again.
   */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    let joined = sets;
    while (joined.length > 1)
      joined = joined.flatMap((set, i) =>
        i % 2 === 1 ? [] : [i + 1 < joined.length ? set.union(joined[i + 1]!) : set],
      );
    return joined[0] ?? FieldSet.empty;
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0;
  }

  /** Whether exactly this path is in the set. A path above or below it does not count. */
  has(path: readonly PathElement[]): boolean {
    let set: FieldSet | undefined = this;
    let member = false;
    for (const element of path) {
      const node: FieldNode | undefined = set?.nodes.get(element);
      if (node === undefined) return false;
      member = node.member;
      set = node.children;
    }
    return member;
  }

  /** The paths in at least one of the sets. */
  union(other: FieldSet): FieldSet {
    if (other === this || other.isEmpty) return this;
    if (this.isEmpty) return other;
    let nodes: Map<PathElement, FieldNode> | undefined;
    for (const [element, theirs] of other.nodes) {
      const ours = this.nodes.get(element);
      const joined = ours === undefined ? theirs : joinNodes(ours, theirs);
      if (joined !== ours) (nodes ??= copyOf(this.nodes)).set(element, joined);
    }
    return nodes === undefined ? this : new FieldSet(nodes);
  }

  /** The paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const nodes = new Map<PathElement, FieldNode>();
    const [few, many] = this.nodes.size <= other.nodes.size ? [this, other] : [other, this];
    for (const [element, ours] of few.nodes) {
      const theirs = many.nodes.get(element);
      if (theirs === undefined) continue;
      const below =
        ours.children === undefined || theirs.children === undefined
          ? undefined
          : some(ours.children.intersection(theirs.children));
      const member = ours.member && theirs.member;
      if (member || below !== undefined) nodes.set(element, { member, children: below });
    }
    return nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes);
  }

  /** The paths of this set that are not in the other set. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** The paths of this set that are neither in the other set nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    if (other.nodes.size > Math.max(WIDE, this.nodes.size) / 2) return this.#selected(other, recursive);
    let nodes: Map<PathElement, FieldNode> | undefined;
    for (const [element, theirs] of other.nodes) {
      const ours = this.nodes.get(element);
      if (ours === undefined) continue;
      const left = takeNode(ours, theirs, recursive);
      if (left === ours) continue;
      nodes ??= copyOf(this.nodes);
      if (left === undefined) nodes.delete(element);
      else nodes.set(element, left);
    }
    return nodes === undefined ? this : nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes);
  }

  /**
   * Like {@link #without}, for cases in which so much may be removed that the result is built from the remaining nodes
   * and not from a copy.
   */
  #selected(other: FieldSet, recursive: boolean): FieldSet {
    const nodes = new Map<PathElement, FieldNode>();
    let changed = false;
    for (const [element, ours] of this.nodes) {
      const theirs = other.nodes.get(element);
      const left = theirs === undefined ? ours : takeNode(ours, theirs, recursive);
      if (left !== undefined) nodes.set(element, left);
      changed ||= left !== ours;
    }
    return !changed ? this : nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes);
  }

  /** Whether both sets hold the same paths. */
  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.nodes.size !== other.nodes.size) return false;
    for (const [element, ours] of this.nodes) {
      const theirs = other.nodes.get(element);
      if (theirs === undefined || ours.member !== theirs.member) return false;
      if (!(ours.children ?? FieldSet.empty).equals(theirs.children ?? FieldSet.empty)) return false;
    }
    return true;
  }

  /** The number of paths. */
  get size(): number {
    let count = 0;
    for (const { member, children } of this.nodes.values()) count += (member ? 1 : 0) + (children?.size ?? 0);
    return count;
  }

  /** Every path in order. At each step, the paths that end there come first, and the longer paths follow. */
  *paths(): Generator<readonly PathElement[]> {
    yield* pathsBelow(this, []);
  }
}

function* pathsBelow(set: FieldSet, above: readonly PathElement[]): Generator<readonly PathElement[]> {
  const compare = pathElementOrder();
  const steps = [...set.nodes].sort(([a], [b]) => compare(a, b));
  for (const [element, node] of steps) if (node.member) yield [...above, element];
  for (const [element, { children }] of steps)
    if (children !== undefined) yield* pathsBelow(children, [...above, element]);
}

/** Copies the map in a loop, because the engine's own copy allocates memory for every entry. */
function copyOf(nodes: FieldSet['nodes']): Map<PathElement, FieldNode> {
  const copy = new Map<PathElement, FieldNode>();
  nodes.forEach((node, element) => {
    copy.set(element, node);
  });
  return copy;
}

function some(set: FieldSet): FieldSet | undefined {
  return set.isEmpty ? undefined : set;
}

function joinNodes(a: FieldNode, b: FieldNode): FieldNode {
  const children =
    a.children === undefined ? b.children : b.children === undefined ? a.children : a.children.union(b.children);
  const member = a.member || b.member;
  return member === a.member && children === a.children ? a : { member, children };
}

function takeNode(from: FieldNode, taken: FieldNode, recursive: boolean): FieldNode | undefined {
  if (recursive && taken.member) return undefined;
  const member = from.member && !taken.member;
  let children = from.children;
  if (children !== undefined && taken.children !== undefined) {
    children = some(recursive ? children.recursiveDifference(taken.children) : children.difference(taken.children));
  }
  if (member === from.member && children === from.children) return from;
  return member || children !== undefined ? { member, children } : undefined;
}

/** Collects the paths of one branch. The branch exists only if it has a path. */
export class FieldSetBuilder {
  #nodes: Map<PathElement, FieldNode> | undefined;

  /** Adds the path that ends with this step, the paths below it, or both. Ignores a step with neither. */
  add(element: PathElement, member: boolean, children?: FieldSet): void {
    if (!member && children === undefined) return;
    this.#nodes ??= new Map();
    const known = this.#nodes.get(element);
    const node = children === undefined ? MEMBER : { member, children };
    this.#nodes.set(element, known === undefined ? node : joinNodes(known, node));
  }

  /** The paths so far; undefined if there are none. */
  build(): FieldSet | undefined {
    return this.#nodes === undefined ? undefined : new FieldSet(this.#nodes);
  }
}
