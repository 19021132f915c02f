import { type Grant, Rights } from '#client/access/rights.ts';
import type { Client } from '#client/client.ts';
import { authorizationV1 } from '#client/generated/resources.ts';
import type { AccessToObject, ObjectRequest } from '../protocol/object-messages.ts';
import type { Kinds } from './catalog.ts';

/** Verbs on one existing object. */
const ON_OBJECTS = ['get', 'update', 'patch', 'delete'];

/** The largest number of subjects of a verb that a page is sent. */
const MOST_GRANTS = 200;

/** Lists the subjects that may act on an object, with their verbs, as far as the user may read roles and bindings. */
export async function readAccess(client: Client, kinds: Kinds, request: ObjectRequest): Promise<AccessToObject> {
  const type = await kinds.type(request.kind);
  const { group, plural } = type;
  const { name } = request;
  const namespace = type.namespaced ? request.namespace : undefined;
  const rights = await Rights.read(client, namespace);
  const verbs = ON_OBJECTS.filter((verb) => type.verbs.includes(verb)).map(async (verb) => {
    const found = rights.whoCan({ verb, group, resource: plural, name }).map(grantText).sort(bySubject);
    const you = await mayI(client, { verb, group, resource: plural, name, namespace: namespace ?? '' });
    const grants = found.slice(0, MOST_GRANTS);
    return { verb, you, grants, more: found.length - grants.length };
  });
  return { verbs: await Promise.all(verbs), unread: [...rights.unread.keys()].sort() };
}

interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace: string;
}

/** The answer; undefined if the server does not answer the question. */
async function mayI(client: Client, resourceAttributes: Asked): Promise<boolean | undefined> {
  try {
    const reviews = client.resource(authorizationV1.selfsubjectaccessreviews);
    const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes } });
    return status?.allowed;
  } catch {
    return undefined;
  }
}

function grantText({ subject, role, binding }: Grant) {
  const where = subject.namespace === '' ? '' : ` of ${subject.namespace}`;
  return {
    subject: `${subject.kind} ${subject.name}${where}`,
    role: `${role.kind} ${role.name}`,
    binding: `${binding.kind} ${binding.name}`,
  };
}

function bySubject(a: { readonly subject: string }, b: { readonly subject: string }): number {
  return a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0;
}
