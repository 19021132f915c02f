import { type FieldError, FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import { invalid } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#schema/generated/admissionregistration.v1.ts';
import { type Attributes, attributesOf, resourceAttributes } from '../api/attributes.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import type { GuardedWrite } from '../api/write-guard.ts';
import type { Decision } from './authorizer.ts';

/** Decides whether users have rights. */
type Decide = (attributes: Attributes) => MaybePromise<Decision>;

const SPEC = new FieldPath('spec');
const GROUP = 'admissionregistration';
/** Resources of bindings, and those of the policies that they bind. */
const BOUND_POLICIES: ReadonlyMap<string, string> = new Map([
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
]);
const POLICIES: ReadonlySet<string> = new Set(BOUND_POLICIES.values());

/**
 * Refuses a policy or binding if its user may not read the parameters that it names. Otherwise the author could find
 * out the content of the parameters from the decisions of the policy.
 * @throws StatusError (422)
 */
export async function checkParamAccess(decide: Decide, write: GuardedWrite): Promise<void> {
  const { served, object } = write;
  const error = POLICIES.has(served.stored?.plural ?? '')
    ? await policyError(decide, write)
    : await bindingError(decide, write);
  if (error === undefined) return;
  throw invalid({ group: served.group, kind: served.type.kind }, object.metadata.name ?? '', [error]);
}

async function policyError(decide: Decide, write: GuardedWrite): Promise<FieldError | undefined> {
  const kind = (write.object as ValidatingAdmissionPolicy).spec?.paramKind;
  if (kind == null) return undefined;
  const before = (write.old as ValidatingAdmissionPolicy | undefined)?.spec?.paramKind;
  if (write.old !== undefined && jsonEqual(kind, before ?? null)) return undefined;
  const { user } = attributesOf(write.context);
  const about = { ...resourceOf(kind, write), verb: 'get', name: '*', namespace: '*' };
  if ((await decide(resourceAttributes(user, about))).verdict === 'allow') return undefined;
  const shown = `(kind=${kind.kind ?? ''}, apiVersion=${kind.apiVersion ?? ''})`;
  const why = `user ${user.name} must have "get" permission on all objects of the referenced paramKind ${shown}`;
  return forbiddenField(SPEC.child('paramKind'), why);
}

async function bindingError(decide: Decide, write: GuardedWrite): Promise<FieldError | undefined> {
  const { paramRef: ref, policyName = '' } = (write.object as ValidatingAdmissionPolicyBinding).spec ?? {};
  if (ref == null) return undefined;
  const before = (write.old as ValidatingAdmissionPolicyBinding | undefined)?.spec;
  const same = before?.policyName === policyName && jsonEqual(ref, before.paramRef ?? null);
  if (write.old !== undefined && same) return undefined;
  const { user } = attributesOf(write.context);
  const { name = '', namespace = '' } = ref;
  const verb = name === '' ? 'list' : 'get';
  const policies = BOUND_POLICIES.get(write.served.stored?.plural ?? '') ?? '';
  const about = { ...resourceOf(kindOfPolicy(policies, policyName, write), write), verb, name, namespace };
  if ((await decide(resourceAttributes(user, about))).verdict === 'allow') return undefined;
  const why = `user ${user.name} does not have "${verb}" permission on the object referenced by paramRef`;
  return forbiddenField(SPEC.child('paramRef'), why);
}

/** The kind of a policy's parameters; undefined if the policy does not exist or has no parameters. */
function kindOfPolicy(policies: string, name: string, { context }: GuardedWrite): ParamKind | undefined {
  const item = context.resources?.stored(GROUP, policies)?.cache.get(name);
  if (item === undefined) return undefined;
  return parseStored<ValidatingAdmissionPolicy>(item.body).spec?.paramKind ?? undefined;
}

/** The resource of a kind. An unknown kind counts as any resource. */
function resourceOf(kind: ParamKind | undefined, { context }: GuardedWrite) {
  if (kind === undefined) return { group: '*', version: '*', resource: '*' };
  const { apiVersion = '', kind: name = '' } = kind;
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const served = context.resources?.ofKind(apiVersion, name)[0];
  return { group, version, resource: served?.type.plural ?? '*' };
}

/** Whether {@link checkParamAccess} checks writes of a resource. */
export function namesParams({ served }: Pick<GuardedWrite, 'served'>): boolean {
  const { stored } = served;
  return stored?.group === GROUP && (POLICIES.has(stored.plural) || BOUND_POLICIES.has(stored.plural));
}
