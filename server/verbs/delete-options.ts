import { type FieldError, invalidValue, inWordsOf, notSupported } from '#base/errors/field-error.ts';
import { invalid } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { int64 } from '../api/parse-query.ts';
import type { RequestContext } from '../api/request-context.ts';
import { flag } from '../api/request-info.ts';
import { dryRunErrors, type WordsOfRefusals } from '../api/write-options.ts';
import { modelOf } from '../resources/message-model.ts';
import type { Registry } from '../resources/registry.ts';
import { decodeBody } from './decode-body.ts';

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** The options of a deletion. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagation: Propagation | undefined;
  readonly dryRun: boolean;
  /** Whether only a malformed value is removed. */
  readonly onlyUnreadable?: boolean;
  /** The options from the client, unchanged. */
  readonly sent?: JsonObject;
  /** Whether admission has already seen the deletion request as an object (an Eviction). */
  readonly admitted?: true;
}

/** The options of a delete in the form of clients. */
export interface RawOptions {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** The option for malformed values, and its gate. */
const UNREADABLE = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const UNREADABLE_GATE = 'AllowUnsafeMalformedObjectDeletion';

const POLICIES = ['Foreground', 'Background', 'Orphan'];

function fromQuery(query: URLSearchParams): RawOptions {
  const grace = int64(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const unreadable = query.get(UNREADABLE);
  const conditions = ['uid', 'resourceVersion'].flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return {
    ...(conditions.length === 0 ? {} : { preconditions: Object.fromEntries(conditions) }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === null ? {} : { orphanDependents: flag(orphan) }),
    ...(unreadable === null ? {} : { [UNREADABLE]: flag(unreadable) }),
  };
}

function check(raw: RawOptions, dryRun: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = raw;
  if (policy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', policy, why));
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return [...errors, ...dryRunErrors(dryRun), ...(raw[UNREADABLE] === true ? alone(raw, dryRun) : [])];
}

/**
 * The option for malformed values excludes all other options, because the server does not know the fields of such a
 * value.
 */
function alone(raw: RawOptions, dryRun: readonly string[]): FieldError[] {
  const others = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const;
  return [...(dryRun.length > 0 ? ['dryRun'] : []), ...others.filter((name) => raw[name] !== undefined)].map((name) =>
    invalidValue(UNREADABLE, true, `cannot be set together with .${name}`),
  );
}

function propagationOf(raw: RawOptions): Propagation | undefined {
  if (raw.orphanDependents !== undefined) return raw.orphanDependents ? 'Orphan' : 'Background';
  return raw.propagationPolicy as Propagation | undefined;
}

/**
 * Reads the options of a delete, from the body if there is one, and otherwise from the query. `dryRun` is read from
 * both.
 */
export async function deleteOptions(registry: Registry, context: RequestContext): Promise<DeleteOptions> {
  const body = await context.readBody();
  const raw = body.length === 0 ? fromQuery(context.query) : await fromBody(registry, context);
  if (!registry.gates.enabled(UNREADABLE_GATE)) delete raw[UNREADABLE];
  return checkedOptions({ ...raw, dryRun: [...(raw.dryRun ?? []), ...context.query.getAll('dryRun')] }, registry);
}

/**
 * The options from a client, prepared for a delete.
 *
 * @throws StatusError (422) for unknown values
 */
export function checkedOptions(raw: RawOptions, { naming, schema }: WordsOfRefusals): DeleteOptions {
  const { dryRun = [], ...rest } = raw;
  const errors = check(rest, dryRun);
  if (errors.length > 0) {
    const kind = { group: naming.group('meta'), kind: 'DeleteOptions' };
    throw invalid(kind, '', inWordsOf(errors, schema.release));
  }
  const grace = raw.gracePeriodSeconds;
  return {
    gracePeriodSeconds: grace !== undefined && grace < 0 ? 1 : grace,
    preconditions: raw.preconditions ?? {},
    propagation: propagationOf(raw),
    dryRun: dryRun.includes('All'),
    ...(raw[UNREADABLE] === true && { onlyUnreadable: true }),
    sent: { ...(rest as JsonObject), ...(dryRun.length > 0 && { dryRun }) },
  };
}

/** @throws StatusError (422) for the option about malformed values, because a collection has only valid objects */
export function requireReadable({ onlyUnreadable }: DeleteOptions, naming: Pick<Naming, 'group'>): void {
  if (onlyUnreadable !== true) return;
  const why = 'is not allowed with DELETECOLLECTION, try again after removing the option';
  const kind = { group: naming.group('meta'), kind: 'DeleteOptions' };
  throw invalid(kind, '', [invalidValue(UNREADABLE, true, why)]);
}

/** Clients send DeleteOptions in any group version that they know. All versions have the same form. */
async function fromBody(registry: Registry, context: RequestContext): Promise<RawOptions> {
  const model = modelOf(registry.schema.message('meta.v1.DeleteOptions'));
  const options = await decodeBody(
    registry,
    context,
    { kind: 'DeleteOptions', apiVersion: 'v1', model, anyVersion: true },
    'Ignore',
  );
  return options as unknown as ApiObject & RawOptions;
}
