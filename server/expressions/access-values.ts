import type { AccessAnswer, AccessQuestion } from '../api/access.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { AccessKind } from './cel-type.ts';
import { LibraryValue } from './cel-value.ts';

/**
 * The error that an evaluation needs an answer that has not arrived yet. The evaluation runs again when `ready` is
 * fulfilled.
 */
export class Pending extends Error {
  readonly ready: Promise<void>;

  constructor(ready: Promise<void>) {
    super('an answer is not there yet');
    this.ready = ready;
  }
}

/**
 * Answers questions of expressions. Each question is asked once.
 * @throws Pending if the answer has not arrived yet
 */
export type Ask = (question: AccessQuestion) => AccessAnswer;

/** Remembers the answers of an authorizer. An expression runs again until it has all answers. */
export function rememberingAsk(access: (question: AccessQuestion) => Promise<AccessAnswer>): Ask {
  const answers = new Map<string, AccessAnswer>();
  return (question) => {
    const { user: { name, groups } = { name: '', groups: [] }, ...about } = question;
    const key = JSON.stringify([name, groups, about]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const failed = (error: Error): AccessAnswer => ({ allowed: false, reason: '', error: error.message });
    const asked = access(question).catch((error: unknown) => failed(error as Error));
    throw new Pending(asked.then((answer) => void answers.set(key, answer)));
  };
}

/** A step towards a question, or the answer. Two steps are never equal. */
abstract class AccessValue extends LibraryValue {
  abstract override readonly kind: AccessKind;

  equals(other: LibraryValue): boolean {
    return this === other;
  }
}

/** The user of the questions, and the authorizer. */
export class AuthorizerValue extends AccessValue {
  readonly kind = 'authorizer';
  readonly ask: Ask;
  readonly user: UserInfo | undefined;

  constructor(ask: Ask, user: UserInfo | undefined) {
    super();
    this.ask = ask;
    this.user = user;
  }
}

/** A question about a path that does not belong to a resource. */
export class PathCheckValue extends AccessValue {
  readonly kind = 'pathCheck';
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

/** A question about a group, whose resource is not set yet. */
export class GroupCheckValue extends AccessValue {
  readonly kind = 'groupCheck';
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The attributes of a question about a resource. */
export type ResourceTarget = Omit<AccessQuestion, 'user' | 'verb'>;

/** A question about a resource. */
export class ResourceCheckValue extends AccessValue {
  readonly kind = 'resourceCheck';
  readonly authorizer: AuthorizerValue;
  readonly target: ResourceTarget;

  constructor(authorizer: AuthorizerValue, target: ResourceTarget) {
    super();
    this.authorizer = authorizer;
    this.target = target;
  }

  with(part: Partial<ResourceTarget>): ResourceCheckValue {
    return new ResourceCheckValue(this.authorizer, { ...this.target, ...part });
  }
}

/** The decision of an authorizer. */
export class DecisionValue extends AccessValue {
  readonly kind = 'decision';
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
}
