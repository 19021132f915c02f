import { isObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';

import { type Problem, problemsOf, type Validate } from './validate.ts';

/** A name that a kind of files has had, with the versions in which it has it. */
export interface KindForm {
  readonly kind: string;
  /** The group in its neutral short form. */
  readonly group: string;
  readonly versions: readonly string[];
}

/** A kind of files that operators write. `T` is the type of its values. */
export interface OperatorKind<T> {
  /** An empty value means that a file of this kind does not contain kind and version. */
  readonly forms: readonly KindForm[];
  /** The form of a file that leaves out its kind or its version. It is the first form. */
  readonly headMayBeMissing?: true;
  readonly validate: Validate;
  /** No value has this field. It only carries a type for the compiler. */
  readonly value?: T;
}

/** The type of a value of a kind. */
export type ValueOfKind<K> = K extends OperatorKind<infer T> ? T : never;

/** The reason why a value is not of a kind. */
export function problemsOfKind(value: unknown, kind: OperatorKind<unknown>, naming: Naming): readonly Problem[] {
  const head = isObject(value) ? wrongHead(value, kind, naming) : undefined;
  // A file of another kind or version has other fields.
  return head === undefined ? problemsOf(kind.validate, value) : [head];
}

/** The error of an object's kind or version; undefined if there is none. */
function wrongHead(
  object: Readonly<Record<string, unknown>>,
  { forms, headMayBeMissing }: OperatorKind<unknown>,
  naming: Naming,
): Problem | undefined {
  const [first] = forms;
  if (first === undefined) return undefined;
  let { kind, apiVersion } = object;
  if (headMayBeMissing === true) {
    kind ||= first.kind;
    apiVersion ||= naming.apiVersion(first.group, first.versions[0]!);
  }
  const versionsOf = (some: readonly KindForm[]) =>
    some.flatMap(({ group, versions }) => versions.map((version) => naming.apiVersion(group, version)));
  const fitting = forms.filter((form) => form.kind === kind);
  if (fitting.length === 0) return { path: ['kind'], what: mustBe(kind, [...new Set(forms.map((form) => form.kind))]) };
  const versions = versionsOf(fitting);
  if (versions.includes(apiVersion as string)) return undefined;
  return { path: ['apiVersion'], what: mustBe(apiVersion, versions) };
}

function mustBe(value: unknown, wanted: readonly string[]): string {
  const named = wanted.map((one) => JSON.stringify(one)).join(' or ');
  return value === undefined || value === null ? `is missing: it must be ${named}` : `must be ${named}`;
}
