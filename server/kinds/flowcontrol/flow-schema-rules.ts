import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';
import { validateRequired, validateText } from '#schema/validation/reference.ts';

const EVERY = '*';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** The kinds of subjects, each with the field that describes it. */
const SUBJECT_FIELDS = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;
type SubjectKind = keyof typeof SUBJECT_FIELDS;
const SUBJECT_KINDS = Object.keys(SUBJECT_FIELDS) as SubjectKind[];
/** The order of checks for fields that do not belong to a subject's kind. */
const OTHERS: Readonly<Record<SubjectKind, readonly SubjectKind[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
};

function validateServiceAccount(account: NonNullable<Subject['serviceAccount']>, path: FieldPath): FieldError[] {
  const { name, namespace } = account;
  const errors = validateRequired(name, path.child('name'));
  if (name !== '' && name !== EVERY) append(errors, validateText(name, dns1123Subdomain, path.child('name')));
  if (namespace === '') errors.push(required(path.child('namespace'), 'must specify namespace for service account'));
  else append(errors, validateText(namespace, dns1123Label, path.child('namespace')));
  return errors;
}

function validateSubject(subject: Subject, path: FieldPath): FieldError[] {
  const kind = subject.kind as SubjectKind;
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(path.child('kind'), kind, SUBJECT_KINDS)];
  const field = SUBJECT_FIELDS[kind];
  const at = path.child(field);
  const errors: FieldError[] = [];
  if (subject[field] === undefined) {
    errors.push(required(at, `${field} is required when subject kind is '${kind}'`));
  } else if (kind === 'ServiceAccount') append(errors, validateServiceAccount(subject.serviceAccount!, at));
  else append(errors, validateRequired(subject[SUBJECT_FIELDS[kind]]!.name, at.child('name')));
  for (const other of OTHERS[kind]) {
    const wrong = SUBJECT_FIELDS[other];
    if (subject[wrong] === undefined) continue;
    errors.push(forbiddenField(path.child(wrong), `${wrong} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

/** Validates that a list is not empty, and has no other value beside the wildcard. */
function validateList(
  values: readonly string[] | null,
  messages: { readonly none: string; readonly others: string },
  path: FieldPath,
): FieldError[] {
  const list = values ?? [];
  if (list.length === 0) return [required(path, messages.none)];
  if (list.length === 1 || !list.includes(EVERY)) return [];
  return [invalidValue(path, list, `if '*' is present, must not specify ${messages.others}`)];
}

function validateVerbs(verbs: readonly string[] | null, path: FieldPath): FieldError[] {
  const list = verbs ?? [];
  const errors = validateList(verbs, { none: 'verbs must contain at least one value', others: 'other verbs' }, path);
  const known = list.includes(EVERY) || list.every((verb) => VERBS.includes(verb));
  return known ? errors : [...errors, notSupported(path, list, VERBS)];
}

function validateNamespaces({ namespaces, clusterScope }: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const list = namespaces ?? [];
  if (list.length === 0) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    return clusterScope === true ? [] : [required(path, detail)];
  }
  if (list.length > 1 && list.includes(EVERY)) {
    return [invalidValue(path, list, "if '*' is present, must not specify other namespaces")];
  }
  return list.flatMap((name, i) =>
    (name === EVERY ? [] : dns1123Label(name)).map((problem) =>
      invalidValue(path.index(i), name, `each member of this list must be '*' or a DNS-1123 label; ${problem}`),
    ),
  );
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const groups = { none: 'resource rules must supply at least one api group', others: 'other api groups' };
  const resources = { none: 'resource rules must supply at least one resource', others: 'other resources' };
  return [
    ...validateVerbs(rule.verbs, path.child('verbs')),
    ...validateList(rule.apiGroups, groups, path.child('apiGroups')),
    ...validateList(rule.resources, resources, path.child('resources')),
    ...validateNamespaces(rule, path.child('namespaces')),
  ];
}

/** The error of a path; a wildcard may only follow its last slash. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath): FieldError[] {
  const at = path.child('nonResourceURLs');
  const urls = rule.nonResourceURLs ?? [];
  const messages = {
    none: 'nonResourceURLs must contain at least one value',
    others: 'other non-resource URLs',
  };
  const errors = [...validateVerbs(rule.verbs, path.child('verbs')), ...validateList(urls, messages, at)];
  if (urls.includes(EVERY)) return errors;
  urls.forEach((url, i) => {
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalidValue(at.index(i), url, problem));
  });
  return errors;
}

/** Validates which users and requests a flow schema matches. */
export function validateFlowRules(rules: PolicyRulesWithSubjects, path: FieldPath): FieldError[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rules;
  const list = subjects ?? [];
  const errors = list.flatMap((subject, i) => validateSubject(subject, path.child('subjects').index(i)));
  if (list.length === 0) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((rule, i) => validateResourceRule(rule, path.child('resourceRules').index(i))),
    ...nonResourceRules.flatMap((rule, i) => validateNonResourceRule(rule, path.child('nonResourceRules').index(i))),
  ];
}
