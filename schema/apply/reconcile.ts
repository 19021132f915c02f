import type { ApplyType } from './apply-type.ts';
import { type FieldNode, FieldSet, FieldSetBuilder } from './field-set.ts';
import { memberName } from './path-element.ts';

/**
 * Adapts a set that was recorded with an older schema to today's schema. If a value is now owned as a whole, a manager
 * that owned a part of it owns the whole. The other direction cannot be derived: a manager that owned the whole owns
 * the path, and no part below it. Returns the set itself if nothing differs.
 */
export function reconcileFieldSet(set: FieldSet, type: ApplyType): FieldSet {
  if (fits(set, type)) return set;
  const fields = new FieldSetBuilder();
  for (const [element, node] of set.nodes) {
    const below = typeBelow(type, element);
    const { member, children } = below === undefined ? node : reconcileNode(node, below);
    fields.add(element, member, children);
  }
  return fields.build() ?? FieldSet.empty;
}

/** Whether no path leads into a value that is owned as a whole. */
function fits(set: FieldSet, type: ApplyType): boolean {
  for (const [element, { children }] of set.nodes) {
    const below = children === undefined ? undefined : typeBelow(type, element);
    if (below !== undefined && (isAtomic(below) || !fits(children!, below))) return false;
  }
  return true;
}

function reconcileNode(node: FieldNode, type: ApplyType): FieldNode {
  if (node.children === undefined) return node;
  if (isAtomic(type)) return { member: true, children: undefined };
  return { member: node.member, children: reconcileFieldSet(node.children, type) };
}

function isAtomic(type: ApplyType): boolean {
  return type.kind === 'list' ? type.relation === 'atomic' : type.kind === 'object' && type.atomic;
}

function typeBelow(type: ApplyType, element: string): ApplyType | undefined {
  const name = memberName(element);
  if (type.kind === 'object' && name !== undefined) return type.fields.get(name) ?? type.others;
  return type.kind === 'list' && name === undefined ? type.item : undefined;
}

/**
 * The set with the declared fields that lead to its paths. Keys of maps and items of lists that only lead to paths are
 * not added.
 */
export function withFieldsOnTheWay(set: FieldSet, type: ApplyType): FieldSet {
  let changed = false;
  const fields = new FieldSetBuilder();
  for (const [element, node] of set.nodes) {
    const name = memberName(element);
    const declared = type.kind === 'object' && name !== undefined && type.fields.has(name);
    const below = typeBelow(type, element);
    const children =
      node.children === undefined || below === undefined ? node.children : withFieldsOnTheWay(node.children, below);
    const member = node.member || declared;
    changed ||= member !== node.member || children !== node.children;
    fields.add(element, member, children);
  }
  return changed ? (fields.build() ?? FieldSet.empty) : set;
}
