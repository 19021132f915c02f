// The messages between the page and the process about single objects, as JSON in both directions.

import type { Schema } from '#client/open-api/schemas.ts';

export interface ObjectRequest {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The fields of a manager, and the time of its last change. */
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
  /** RFC 3339, or '' if the event does not contain it. */
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
  /** The namespace of the owner; '' if it has none. */
  readonly namespace: string;
  /** The id of the kind; undefined if the server does not serve it. */
  readonly id: string | undefined;
}

/** An action on an object, in addition to editing and deleting it. */
export type ActionName = 'scale' | 'restart' | 'label';

/** An object and its related data. */
export interface ObjectDetails {
  readonly yaml: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly managers: readonly ManagerOfFields[];
  readonly owners: readonly OwnerOfObject[];
  readonly conditions: readonly ConditionOfObject[];
  /** Undefined if the user may not list events. */
  readonly events: readonly EventOfObject[] | undefined;
  readonly actions: readonly ActionName[];
  /** The desired number of replicas, if the kind has one. */
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
  /** Whether the server has older versions that are not sent. */
  readonly isCut: boolean;
}

/** An object with the objects that it owns. */
export interface Relative {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly isGoing: boolean;
  readonly owned: readonly Relative[];
}

/** The owners of an object, and the objects that it owns. */
export interface Relations {
  /** The farthest first. */
  readonly owners: readonly Relative[];
  readonly self: Relative;
  /** Kinds that the user may not list. */
  readonly unread: readonly string[];
  /** There are more objects than the console searches. */
  readonly isCut: boolean;
}

/** A subject that has a right, and by which binding. */
export interface GrantOnObject {
  readonly subject: string;
  readonly role: string;
  readonly binding: string;
}

/** The subjects that may act on an object. */
export interface AccessToObject {
  readonly verbs: readonly {
    readonly verb: string;
    /** Whether the console's user may do this; undefined if the server does not answer this. */
    readonly you: boolean | undefined;
    readonly grants: readonly GrantOnObject[];
    /** The number of further subjects. */
    readonly more: number;
  }[];
  /** The kinds that the user may not read, so subjects may be missing. */
  readonly unread: readonly string[];
}

/** The published schema of a kind, with all schemas to which it refers. */
export interface KindSchema {
  readonly root: Schema;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** A user's choice for a field of which other managers want another value. */
export type Way = 'theirs' | 'mine' | 'share';

export interface SaveRequest extends ObjectRequest {
  readonly yaml: string;
  /** The text as it was read, before it was edited. */
  readonly base: string;
  readonly dryRun: boolean;
  /** The keys are the paths of fields. */
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
  /** The value as it was read, as the user wants it, and as it is now. */
  readonly base: string | undefined;
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** It was changed after the reading, or a manager applies it and would reset it. */
  readonly why: 'changed' | 'applied';
  readonly by: readonly { readonly manager: string; readonly time: string }[];
}

/** The result, or the possible result, of a change on the server. */
export interface SaveAnswer {
  /** The object before the change. */
  readonly before: string;
  readonly yaml: string;
  readonly warnings: readonly string[];
  /** The fields that the server sets differently from the request: defaults, and changes by admission. */
  readonly byServer: readonly FieldChange[];
  /** Nothing is sent before each of them has a way. */
  readonly conflicts: readonly FieldConflict[];
}

/** A change that needs no editor. */
export type Change =
  | { readonly name: 'scale'; readonly replicas: number }
  | { readonly name: 'restart' }
  /** Labels to set; null removes a label. */
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
