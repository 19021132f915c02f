// What the page and the process say to each other of single objects. It is JSON both ways.

import type { Schema } from '#client/open-api/schemas.ts';

export interface ObjectRequest {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Which fields a manager has, and since when. */
export interface ManagerOfFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
  readonly paths: readonly string[];
}

export interface EventOfObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339, or '' where the event does not say. */
  readonly first: string;
  readonly last: string;
}

/** A condition in the status of an object, of any kind. */
export interface ConditionOfObject {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Since when it has this status: RFC 3339, or ''. */
  readonly since: string;
}

export interface OwnerOfObject {
  readonly kind: string;
  readonly name: string;
  /** Where it is; '' where it is in no namespace. */
  readonly namespace: string;
  /** The id of the kind; undefined where the server does not serve it. */
  readonly id: string | undefined;
}

/** What can be done with an object, besides editing and deleting it. */
export type ActionName = 'scale' | 'restart' | 'label';

/** An object and what stands around it. */
export interface ObjectDetails {
  readonly yaml: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly managers: readonly ManagerOfFields[];
  readonly owners: readonly OwnerOfObject[];
  readonly conditions: readonly ConditionOfObject[];
  /** Undefined where the user may not list events. */
  readonly events: readonly EventOfObject[] | undefined;
  readonly actions: readonly ActionName[];
  /** How many replicas are wanted, where the kind has a number of them. */
  readonly replicas: number | undefined;
}

/** Names a version of an object. */
export interface VersionMark {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A version of an object that the server still has. */
export interface VersionOfObject {
  readonly resourceVersion: string;
  readonly time: string;
  readonly by: string;
  readonly yaml: string;
}

/** The versions of an object, newest first. */
export interface HistoryOfObject {
  readonly versions: readonly VersionOfObject[];
  /** Whether the server has older ones that are not sent. */
  readonly isCut: boolean;
}

/** An object with what it owns. */
export interface Relative {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly isGoing: boolean;
  readonly owned: readonly Relative[];
}

/** Who owns an object, and what it owns. */
export interface Relations {
  /** The farthest first. */
  readonly owners: readonly Relative[];
  readonly self: Relative;
  /** Kinds that the user may not list. */
  readonly unread: readonly string[];
  /** There are more objects than the console looks through. */
  readonly isCut: boolean;
}

/** A subject that has a right, and by which binding. */
export interface GrantOnObject {
  readonly subject: string;
  readonly role: string;
  readonly binding: string;
}

/** Who may do something with an object. */
export interface AccessToObject {
  readonly verbs: readonly {
    readonly verb: string;
    /** Whether the user of the console may; undefined where the server does not say. */
    readonly you: boolean | undefined;
    readonly grants: readonly GrantOnObject[];
    /** How many more subjects there are. */
    readonly more: number;
  }[];
  /** What the user may not read, so that subjects may be missing. */
  readonly unread: readonly string[];
}

/** What the server publishes of a kind, with all that it refers to. */
export interface KindSchema {
  readonly root: Schema;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** What a user does about a field that others want otherwise. */
export type Way = 'theirs' | 'mine' | 'share';

export interface SaveRequest extends ObjectRequest {
  readonly yaml: string;
  /** The text as it was read, before it was edited. */
  readonly base: string;
  readonly dryRun: boolean;
  /** By the path of the field. */
  readonly ways: Readonly<Record<string, Way>>;
}

/** A field in which two versions differ. */
export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A field that the user has changed and others want otherwise. */
export interface FieldConflict {
  readonly path: string;
  /** As it was read, as the user wants it, and as it is by now. */
  readonly base: string | undefined;
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** It was changed since it was read, or a manager applies it, and would set it back. */
  readonly why: 'changed' | 'applied';
  readonly by: readonly { readonly manager: string; readonly time: string }[];
}

/** What the server made, or would make, of a change. */
export interface SaveAnswer {
  /** The object before the change. */
  readonly before: string;
  readonly yaml: string;
  readonly warnings: readonly string[];
  /** What the server sets otherwise than it was sent: defaults, and what admission changes. */
  readonly byServer: readonly FieldChange[];
  /** Nothing is sent before each of them has a way. */
  readonly conflicts: readonly FieldConflict[];
}

/** A change that needs no editor. */
export type Change =
  | { readonly name: 'scale'; readonly replicas: number }
  | { readonly name: 'restart' }
  /** Labels to set; null takes one away. */
  | { readonly name: 'label'; readonly labels: Readonly<Record<string, string | null>> };

export interface ChangeRequest extends ObjectRequest {
  readonly change: Change;
  readonly dryRun: boolean;
}

export interface DeleteRequest extends ObjectRequest {
  readonly uid: string;
  readonly dryRun: boolean;
  /** Objects that it owns stay. */
  readonly orphans: boolean;
}
