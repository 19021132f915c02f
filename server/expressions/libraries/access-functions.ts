import { type Entry, since } from '#base/release/in-force.ts';
import { serviceAccountGroups, serviceAccountUser } from '../../api/service-account-name.ts';
import {
  AuthorizerValue,
  DecisionValue,
  GroupCheckValue,
  PathCheckValue,
  ResourceCheckValue,
} from '../access-values.ts';
import { method, type Overload } from '../cel-function.ts';
import { AUTHORIZER, BOOL, DECISION, GROUP_CHECK, PATH_CHECK, RESOURCE_CHECK, STRING } from '../cel-type.ts';
import { EvaluationError } from '../cel-value.ts';
import type { Budget } from '../expression.ts';

/** The cost of a question. An evaluation can afford two. */
const QUESTION = 350_000;

const asks = { estimate: () => QUESTION, charge: (budget: Budget) => budget.charge(QUESTION) };

const NOTHING = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };

function askPath({ authorizer, path }: PathCheckValue, verb: string): DecisionValue {
  return new DecisionValue(authorizer.ask({ ...NOTHING, user: authorizer.user, verb, path }));
}

function askResource({ authorizer, target }: ResourceCheckValue, verb: string): DecisionValue {
  return new DecisionValue(authorizer.ask({ user: authorizer.user, verb, ...target }));
}

function ofAccount({ ask }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  const user = { name: serviceAccountUser(namespace, name), uid: '', groups: serviceAccountGroups(namespace) };
  return new AuthorizerValue(ask, { ...user, extra: {} });
}

function ofPath(authorizer: AuthorizerValue, path: string): PathCheckValue {
  if (path === '') throw new EvaluationError('path must not be empty');
  return new PathCheckValue(authorizer, path);
}

function ofResource({ authorizer, group }: GroupCheckValue, resource: string): ResourceCheckValue {
  if (resource === '') throw new EvaluationError('resource must not be empty');
  const target = { group, version: '*', resource, subresource: '', namespace: '', name: '' };
  return new ResourceCheckValue(authorizer, target);
}

/** Sets a part of the question. */
function part(name: 'subresource' | 'namespace' | 'name'): Overload {
  const run = (check: ResourceCheckValue, text: string) => check.with({ [name]: text });
  return method(name, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, run);
}

/**
 * Limits the question to the objects of a selector, which is a text. Some authorizers can decide about only these
 * objects.
 */
function selector(name: 'fieldSelector' | 'labelSelector'): Overload {
  const run = (check: ResourceCheckValue, rawSelector: string) => check.with({ [name]: { rawSelector } });
  return method(name, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, run);
}

/** Functions that ask what users may do. */
export const accessFunctions: readonly Entry<Overload>[] = [
  method('path', [AUTHORIZER, STRING], PATH_CHECK, ofPath),
  method('group', [AUTHORIZER, STRING], GROUP_CHECK, (of: AuthorizerValue, group: string) => {
    return new GroupCheckValue(of, group);
  }),
  method('serviceAccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, ofAccount),
  method('resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, ofResource),
  part('subresource'),
  part('namespace'),
  part('name'),
  since('1.31', selector('fieldSelector')),
  since('1.31', selector('labelSelector')),
  method('check', [PATH_CHECK, STRING], DECISION, askPath, asks),
  method('check', [RESOURCE_CHECK, STRING], DECISION, askResource, asks),
  method('allowed', [DECISION], BOOL, ({ answer }: DecisionValue) => answer.allowed),
  method('reason', [DECISION], STRING, ({ answer }: DecisionValue) => answer.reason),
  since(
    '1.28',
    method('errored', [DECISION], BOOL, ({ answer }: DecisionValue) => answer.error !== undefined),
  ),
  since(
    '1.28',
    method('error', [DECISION], STRING, ({ answer }: DecisionValue) => answer.error ?? ''),
  ),
];
