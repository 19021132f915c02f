import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '#schema/generated/apiextensions.v1.ts';
import { approvalOf } from './api-approval.ts';
import { bundleProblem } from './validate-conversion.ts';

type Condition = CustomResourceDefinitionCondition;

/**
 * Whether the release serves a definition only if the bundle of its webhook is readable. Earlier releases do not check
 * this.
 */
export const checksBundles = (release: Release): boolean => release.atLeast(31);

const NO_NAMES: CustomResourceDefinitionNames = { plural: '', kind: '' };

/** The names in use by definitions of one group: of resources, and of kinds. */
interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function usedNames(definitions: Iterable<CustomResourceDefinition>, group: string): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of definitions) {
    if (spec.group !== group) continue;
    const names = status?.acceptedNames ?? NO_NAMES;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const kind of [names.kind, names.listKind]) if (kind) kinds.add(kind);
  }
  return { resources, kinds };
}

/**
 * The status of a definition, computed from all definitions including itself: its accepted names and its conditions.
 * The first replica that sees a change writes it. Each replica computes the same status, except for transition times,
 * which are `now` if a condition changes. If nothing changes, it returns the definition's own status.
 */
export function statusOf(
  definition: CustomResourceDefinition,
  all: Iterable<CustomResourceDefinition>,
  { naming, release, now }: { readonly naming: Naming; readonly release: Release; readonly now: string },
): CustomResourceDefinitionStatus {
  const status = definition.status ?? { conditions: null, acceptedNames: NO_NAMES, storedVersions: null };
  const { names, accepted } = acceptNames(definition, usedNames(all, definition.spec.group));
  let conditions = status.conditions ?? [];
  conditions = withCondition(conditions, accepted, now);
  const established = conditions.find(({ type }) => type === 'Established');
  if (accepted.status === 'True') {
    if (established?.status !== 'True') conditions = withCondition(conditions, establishedBy(definition, release), now);
  } else if (established === undefined) {
    const message = 'not all names are accepted';
    conditions = withCondition(
      conditions,
      { type: 'Established', status: 'False', reason: 'NotAccepted', message },
      now,
    );
  }
  const approval = approvalCondition(definition, naming);
  if (approval !== undefined) conditions = withCondition(conditions, approval, now);
  if (definition.spec.preserveUnknownFields === true) {
    const message = 'spec.preserveUnknownFields: Invalid value: true: must be false';
    const nonStructural = { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message };
    conditions = withCondition(conditions, nonStructural, now);
  } else conditions = conditions.filter(({ type }) => type !== 'NonStructuralSchema');
  const unchanged = sameJson(conditions, status.conditions ?? []) && sameJson(names, status.acceptedNames);
  if (unchanged) return status;
  // This is changed only together with another change. Otherwise this replica and one of an earlier build, which adds
  // its own condition, would overwrite each other forever.
  const { approvalCondition: said } = naming;
  conditions = conditions.filter(({ type }) => type === said || !naming.isApprovalCondition(type));
  return { ...status, acceptedNames: names, conditions };
}

/** The condition of a definition whose names are accepted. Without a readable bundle it is not served yet. */
function establishedBy({ spec: { conversion } }: CustomResourceDefinition, release: Release): Condition {
  const problem = checksBundles(release) ? bundleProblem(conversion) : undefined;
  if (problem !== undefined) {
    const message = `the bundle of the conversion webhook is invalid: ${problem}`;
    return { type: 'Established', status: 'False', reason: 'InvalidCABundle', message };
  }
  const message = 'the initial names have been accepted';
  return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message };
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Conditions with one of them replaced. It keeps its time if its status does not change. */
export function withCondition(conditions: readonly Condition[], condition: Condition, now: string): Condition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? now) : now;
  const { type, status, reason, message } = condition;
  const made = { type, status, lastTransitionTime, reason: reason ?? '', message: message ?? '' };
  if (old === undefined) return [...conditions, made];
  return conditions.map((each) => (each === old ? made : each));
}

/** Whether a condition of a definition holds. */
export function hasCondition({ status }: Pick<CustomResourceDefinition, 'status'>, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

/** Accepts the names that no other definition has. The condition reports the last name that is in use. */
function acceptNames(
  { spec, status }: CustomResourceDefinition,
  used: UsedNames,
): { names: CustomResourceDefinitionNames; accepted: Condition } {
  const wanted = spec.names;
  const mine = status?.acceptedNames ?? NO_NAMES;
  const names: CustomResourceDefinitionNames = { ...mine };
  let accepted: Condition = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const refuse = (what: string, taken: readonly string[]) => {
    const texts = taken.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
    accepted = { type: 'NamesAccepted', status: 'False', reason: `${what}Conflict`, message };
  };
  const isFree = (name: string | undefined, own: string | undefined, others: ReadonlySet<string>) =>
    (name ?? '') === (own ?? '') || !others.has(name ?? '');
  const take = (key: 'plural' | 'singular' | 'kind' | 'listKind', what: string, others: ReadonlySet<string>) => {
    const name = wanted[key];
    if (!isFree(name, mine[key], others)) refuse(what, [name!]);
    else if (name !== undefined) names[key] = name;
  };
  take('plural', 'Plural', used.resources);
  take('singular', 'Singular', used.resources);
  const kept = new Set(mine.shortNames);
  const taken = (wanted.shortNames ?? []).filter((name) => !kept.has(name) && used.resources.has(name));
  if (taken.length > 0) refuse('ShortNames', taken);
  else setList(names, 'shortNames', wanted.shortNames);
  take('kind', 'Kind', used.kinds);
  take('listKind', 'ListKind', used.kinds);
  setList(names, 'categories', wanted.categories);
  return { names: ordered(names), accepted };
}

function setList(
  names: CustomResourceDefinitionNames,
  key: 'shortNames' | 'categories',
  values: readonly string[] | undefined,
): void {
  if (values === undefined || values.length === 0) delete names[key];
  else names[key] = [...values];
}

/** The names in the order of fields of objects, so that equal names are equal texts. */
function ordered(names: CustomResourceDefinitionNames): CustomResourceDefinitionNames {
  const { plural, singular, shortNames, kind, listKind, categories } = names;
  return {
    plural,
    ...(singular && { singular }),
    ...(shortNames && { shortNames }),
    kind,
    ...(listKind && { listKind }),
    ...(categories && { categories }),
  };
}

const APPROVAL_REASONS = {
  invalid: 'InvalidAnnotation',
  missing: 'MissingAnnotation',
  approved: 'ApprovedAnnotation',
  bypassed: 'UnapprovedAnnotation',
};

function approvalCondition(definition: CustomResourceDefinition, naming: Naming): Condition | undefined {
  const approval = approvalOf(definition, naming);
  if (approval === undefined) return undefined;
  return {
    type: naming.approvalCondition,
    status: approval.state === 'approved' ? 'True' : 'False',
    reason: APPROVAL_REASONS[approval.state],
    message: approval.reason,
  };
}
