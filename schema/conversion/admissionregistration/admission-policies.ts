import type {
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/admissionregistration.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

function defaultMatch(match: MatchResources | null | undefined): void {
  if (match == null) return;
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
}

/** The defaults of admission policies in each version. */
export const admissionPolicyVersions = {
  v1: {
    defaults(object: ApiObject) {
      defaultMatch((object as ValidatingAdmissionPolicy).spec?.matchConstraints);
    },
  },
} satisfies KindVersions;

/** The defaults of bindings of such policies, in each of their versions. */
export const admissionPolicyBindingVersions = {
  v1: {
    defaults(object: ApiObject) {
      defaultMatch((object as ValidatingAdmissionPolicyBinding).spec?.matchResources);
    },
  },
} satisfies KindVersions;
