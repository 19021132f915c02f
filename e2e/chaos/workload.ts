import { setTimeout as sleep } from 'node:timers/promises';
import type { Freshness, Page, Scope, WriteOperation, WriteOutcome } from './checker/history.ts';
import { type Answer, type Client, NoAnswer } from './client.ts';
import { type Collection, collections, colors, pathOf, prefixOf, scopePath, seenOf } from './collections.ts';
import type { Journal } from './journal.ts';
import type { Random } from './random.ts';

/** The number of object names. It is small, so that several clients write the same object. */
const NAMES = 30;

/** The number of objects in a page of a list. */
const LIMIT = 7;

export interface WorkerContext {
  readonly client: Client;
  readonly ports: readonly number[];
  readonly random: Random;
  readonly journal: Journal;
  readonly stop: AbortSignal;
}

/**
 * Runs a client that writes and reads at random until `context.stop`.
 *
 * @param pause the average time between two operations, in milliseconds
 */
export async function work(context: WorkerContext, pause: number): Promise<void> {
  const { random, stop } = context;
  while (!stop.aborted) {
    const collection = random.of(collections);
    const step = random.weighted([
      [collection.expires ? 12 : 3, create],
      ...(collection.expires
        ? []
        : ([
            [4, update],
            [3, patch],
            [1, remove],
          ] as const)),
      [8, read],
      [2, list],
    ]);
    await step(context, collection);
    await sleep(random.between(0, pause * 2), undefined, { signal: stop }).catch(() => {});
  }
}

/** Runs a client that reads lists page by page until `context.stop`. */
export async function page(context: WorkerContext): Promise<void> {
  const { random, stop, journal } = context;
  while (!stop.aborted) {
    const scope = randomScope(random);
    // Some of the lists are read slowly on purpose, so that etcd compacts their version before the last page.
    const pause = random.chance(0.25) ? random.between(2000, 6000) : random.between(0, 300);
    const pages = await followToken(context, scope, pause);
    const [first, last] = [pages[0], pages.at(-1)];
    if (first === undefined || last === undefined) continue;
    journal.count(last.more ? 'paged lists given up' : 'paged lists');
    if (pages.length > 1) journal.count('continued pages', pages.length - 1);
    const { called } = first;
    journal.record({ kind: 'pages', by: 'pager', called, returned: last.returned, scope, limit: LIMIT, pages });
  }
}

async function followToken(context: WorkerContext, scope: Scope, pause: number): Promise<Page[]> {
  const { random, stop, journal } = context;
  const pages: Page[] = [];
  let token = '';
  let again = false;
  for (let failures = 0; failures < 20 && !stop.aborted; ) {
    const answer = await call(
      context,
      'GET',
      `${scopePath(scope)}limit=${LIMIT}&continue=${encodeURIComponent(token)}`,
    );
    if (answer instanceof NoAnswer || (answer.status !== 200 && answer.status !== 410)) {
      failures++;
      await sleep(200);
      continue;
    }
    const { body, called, returned } = answer;
    const next: string = body.metadata?.continue ?? '';
    if (answer.status === 410) {
      journal.count('expired tokens');
      if (next === '') break;
      token = next;
      again = true;
      continue;
    }
    pages.push({
      by: where(context, answer),
      called,
      returned,
      revision: Number(body.metadata.resourceVersion),
      items: itemsOf(scope, body),
      more: next !== '',
      ...(body.metadata.remainingItemCount === undefined ? {} : { remaining: body.metadata.remainingItemCount }),
      ...(again ? { again } : {}),
    });
    again = false;
    token = next;
    if (token === '') break;
    await sleep(random.between(0, pause * 2), undefined, { signal: stop }).catch(() => {});
  }
  return pages;
}

/** Chooses a scope that a client may list or watch. */
export function randomScope(random: Random): Scope {
  const prefix = prefixOf(random.of(collections));
  return random.chance(0.4) ? { prefix, color: random.of(colors) } : { prefix };
}

/** An answer, with the port of the replica that sent it. */
type Asked = (Answer | NoAnswer) & { readonly port: number };

async function call(
  context: WorkerContext,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
): Promise<Asked> {
  const port = context.random.of(context.ports);
  const answer = await context.client.call(port, method, path, body, type).catch((error: unknown) => {
    if (error instanceof NoAnswer) return error;
    throw error;
  });
  context.journal.count(answer instanceof NoAnswer ? 'requests without an answer' : `status ${answer.status}`);
  if (answer instanceof NoAnswer) await sleep(200);
  else if (answer.status === 500 && /encrypted|opened/.test(answer.body.message))
    context.journal.notOpened.push(`${method} ${path}: ${answer.body.message}`);
  return Object.assign(answer, { port });
}

function where({ client, ports }: WorkerContext, { port }: Asked): string {
  return `${client.name} → replica ${ports.indexOf(port)}`;
}

function randomName(collection: Collection, random: Random): string {
  // No client removes objects that expire. They have more names, because a client must often find an unused name.
  return `k${random.between(0, collection.expires ? NAMES * 20 : NAMES)}`;
}

/**
 * Returns, with the given probability, a version that the server must compare. Some versions are old, so that the
 * server must refuse the write.
 */
function comparable({ random, journal }: WorkerContext, key: string, probability: number): number | undefined {
  return random.chance(probability) ? journal.versionOf(key, random.chance(0.25)) : undefined;
}

function metadata({ journal, random }: WorkerContext, id: string) {
  journal.count('writes tried');
  return { labels: { id, color: random.of(colors) } };
}

async function create(context: WorkerContext, collection: Collection): Promise<void> {
  const name = randomName(collection, context.random);
  const id = context.journal.nextId();
  const { namespace } = collection;
  const body = { metadata: { ...metadata(context, id), name, namespace }, ...collection.body(namespace, name) };
  recordWrite(context, collection, { verb: 'create', name, id }, await call(context, 'POST', pathOf(collection), body));
}

async function update(context: WorkerContext, collection: Collection): Promise<void> {
  const name = randomName(collection, context.random);
  const id = context.journal.nextId();
  // Most updates name a version, so only one of two updates at the same time succeeds. The others replace any version.
  const expected = comparable(context, prefixOf(collection) + name, 0.8);
  const version = expected === undefined ? {} : { resourceVersion: String(expected) };
  const body = {
    metadata: { ...metadata(context, id), ...version, name },
    ...collection.body(collection.namespace, name),
  };
  const answer = await call(context, 'PUT', pathOf(collection, name), body);
  recordWrite(context, collection, { verb: 'update', name, id, expected }, answer);
}

async function patch(context: WorkerContext, collection: Collection): Promise<void> {
  const name = randomName(collection, context.random);
  const id = context.journal.nextId();
  const body = { metadata: metadata(context, id) };
  const answer = await call(context, 'PATCH', pathOf(collection, name), body, 'application/merge-patch+json');
  recordWrite(context, collection, { verb: 'patch', name, id }, answer);
}

async function remove(context: WorkerContext, collection: Collection): Promise<void> {
  const name = randomName(collection, context.random);
  const id = context.journal.nextId();
  context.journal.count('writes tried');
  const expected = comparable(context, prefixOf(collection) + name, 0.5);
  const body = expected === undefined ? undefined : { preconditions: { resourceVersion: String(expected) } };
  const answer = await call(context, 'DELETE', pathOf(collection, name), body);
  recordWrite(context, collection, { verb: 'delete', name, id, expected }, answer);
}

interface Intent {
  readonly verb: WriteOperation['verb'];
  readonly name: string;
  readonly id: string;
  readonly expected?: number | undefined;
}

function recordWrite(context: WorkerContext, collection: Collection, intent: Intent, answer: Asked): void {
  const { verb, name, id, expected } = intent;
  const { journal } = context;
  const key = prefixOf(collection) + name;
  const outcome = outcomeOf(verb, answer);
  journal.count(`writes ${outcome.kind}`);
  if (outcome.kind === 'done') journal.saw(key, { key, revision: outcome.revision, id });
  if (outcome.kind === 'removed' || outcome.kind === 'absent') journal.saw(key, undefined);
  const { called, returned } = answer;
  const asked = { kind: 'write' as const, by: where(context, answer), called, returned };
  journal.record({ ...asked, verb, key, id, outcome, ...(expected === undefined ? {} : { expected }) });
}

function outcomeOf(verb: WriteOperation['verb'], answer: Answer | NoAnswer): WriteOutcome {
  if (answer instanceof NoAnswer) return { kind: 'unknown' };
  const { status, body } = answer;
  if (status === 200 || status === 201) {
    return verb === 'delete'
      ? { kind: 'removed', uid: body.details?.uid ?? body.metadata?.uid }
      : { kind: 'done', revision: Number(body.metadata.resourceVersion) };
  }
  if (status === 404) return { kind: 'absent' };
  if (status === 409) return { kind: verb === 'create' ? 'exists' : 'changed' };
  // After 504 the outcome is unknown. A 500 is an unexpected error, after which the outcome is also unknown.
  return status === 504 || status === 500 ? { kind: 'unknown' } : { kind: 'refused', status };
}

function freshness({ journal, random }: WorkerContext): Freshness {
  const { recent } = journal;
  const known =
    recent.length === 0 ? undefined : recent[random.between(Math.floor(recent.length / 2), recent.length - 1)];
  return random.weighted<Freshness>([
    [6, { kind: 'recent' }],
    [1, { kind: 'any' }],
    ...(known === undefined ? [] : ([[2, { kind: 'notOlder', revision: known }]] as const)),
  ]);
}

const queries = { recent: () => '', any: () => 'resourceVersion=0', notOlder: version, exact: version } as const;

function version(revision: number): string {
  return `resourceVersion=${revision}`;
}

function queryOf(asked: Freshness): string {
  return queries[asked.kind]('revision' in asked ? asked.revision : 0);
}

async function read(context: WorkerContext, collection: Collection): Promise<void> {
  const { journal, random } = context;
  const name = randomName(collection, random);
  const key = prefixOf(collection) + name;
  const asked = freshness(context);
  const answer = await call(context, 'GET', `${pathOf(collection, name)}?${queryOf(asked)}`);
  if (answer instanceof NoAnswer || (answer.status !== 200 && answer.status !== 404)) return;
  const found = answer.status === 200 ? seenOf(collection.resource, answer.body) : undefined;
  journal.count(`reads ${asked.kind}`);
  if (asked.kind === 'recent') journal.saw(key, found);
  const { called, returned } = answer;
  journal.record({ kind: 'read', by: where(context, answer), called, returned, key, freshness: asked, found });
}

async function list(context: WorkerContext): Promise<void> {
  const { journal, random } = context;
  const scope = randomScope(random);
  let asked = freshness(context);
  if (asked.kind === 'notOlder' && random.chance(0.6)) asked = { kind: 'exact', revision: asked.revision };
  const match = {
    recent: '',
    any: '',
    notOlder: '&resourceVersionMatch=NotOlderThan',
    exact: '&resourceVersionMatch=Exact',
  };
  const answer = await call(context, 'GET', `${scopePath(scope)}${queryOf(asked)}${match[asked.kind]}`);
  if (answer instanceof NoAnswer || answer.status !== 200) return;
  const { called, returned, body } = answer;
  journal.count(`lists ${asked.kind}`);
  const revision = Number(body.metadata.resourceVersion);
  const shown = { scope, freshness: asked, revision, items: itemsOf(scope, body) };
  journal.record({ kind: 'list', by: where(context, answer), called, returned, ...shown });
}

function itemsOf({ prefix }: Scope, body: Answer['body']) {
  const resource = prefix.slice(0, prefix.indexOf('/'));
  return body.items.map((item: Parameters<typeof seenOf>[1]) => seenOf(resource, item));
}
