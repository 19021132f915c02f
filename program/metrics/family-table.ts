import { accessFamilies } from './families/access.ts';
import { admissionFamilies } from './families/admission.ts';
import { controllerFamilies } from './families/controllers.ts';
import { encryptionFamilies } from './families/encryption.ts';
import { fairnessFamilies } from './families/fairness.ts';
import { outboundFamilies } from './families/outbound.ts';
import { processFamilies } from './families/process.ts';
import { requestFamilies } from './families/requests.ts';
import { schedulingFamilies } from './families/scheduling.ts';
import { storageFamilies } from './families/storage.ts';
import { watchFamilies } from './families/watches.ts';
import type { FamilyDefinition } from './family-definition.ts';

const families = [
  ...accessFamilies,
  ...admissionFamilies,
  ...controllerFamilies,
  ...encryptionFamilies,
  ...fairnessFamilies,
  ...outboundFamilies,
  ...processFamilies,
  ...requestFamilies,
  ...schedulingFamilies,
  ...storageFamilies,
  ...watchFamilies,
] as const;

type Families = (typeof families)[number];

/** The neutral name of a family. */
export type FamilyName = Families['name'];

/** The names of families of a type. */
export type NameOf<Type extends FamilyDefinition['type']> = Extract<Families, { type: Type }>['name'];

/** The labels of a family. */
export type LabelOf<Name extends FamilyName> =
  Extract<Families, { name: Name }> extends { labels: readonly (infer Label extends string)[] } ? Label : never;

/** All families of the programs, by name. */
export const familyTable: ReadonlyMap<string, FamilyDefinition> = new Map(
  families.map((family): [string, FamilyDefinition] => [family.name, family]),
);
