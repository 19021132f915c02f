import assert from 'node:assert/strict';
import type { TestAnswer, TestReplica } from '#server/testing/replica.ts';

/** The expected content of an answer: a text, a pattern, or an assertion. */
export type Says = string | RegExp | ((answer: TestAnswer) => void);

/**
 * The optional parts of a turn: the data to send and the values to keep. In its line and body, `{name}` is replaced by
 * a value that an earlier turn has kept.
 */
export interface Sent {
  readonly body?: unknown;
  /** The text of the body, in place of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  /** The user that the administrator impersonates. */
  readonly as?: string;
  /** A bearer token in place of the administrator's certificate. '' means no token. */
  readonly token?: string;
  /** The number of events after which a `WATCH` ends. */
  readonly events?: number;
  /**
   * Values that later turns may use. Each has a name, and its path in the answer, as in `{ rv:
   * 'metadata.resourceVersion' }`.
   */
  readonly keep?: Record<string, string>;
}

/**
 * A request and its answer. The line is `METHOD /path`. The answer of `WATCH /path` is a JSON list of the events of a
 * watch. Each of `says` must hold.
 */
export type Turn = readonly [line: string, status: number, says?: Says | readonly Says[], sent?: Sent];

/** Statements of the specification, each with the conversation that shows it. */
export type Conversations = Readonly<Record<string, readonly Turn[]>>;

/** Makes one test for each conversation. */
export function converse(replica: () => TestReplica, conversations: Conversations): void {
  for (const [statement, turns] of Object.entries(conversations))
    it(statement, async () => {
      const kept = new Map<string, string>();
      for (const turn of turns) await take(replica(), turn, kept);
    });
}

async function take(replica: TestReplica, turn: Turn, kept: Map<string, string>): Promise<void> {
  const [line, status, says = [], sent = {}] = turn;
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => kept.get(name) ?? whole);
  const space = line.indexOf(' ');
  const method = line.slice(0, space);
  const target = fill(line.slice(space + 1));
  const { raw, body, token } = sent;
  const request = {
    headers: { ...sent.headers, ...(sent.as === undefined ? {} : { 'Impersonate-User': sent.as }) },
    ...(raw !== undefined ? { raw } : body === undefined ? {} : { raw: fill(JSON.stringify(body)) }),
    ...(token === undefined ? {} : { token }),
  };
  const answer =
    method === 'WATCH' ? await watched(replica, target, sent) : await replica.call(method, target, request);
  const about = `${method} ${target} -> ${answer.status} ${answer.text.slice(0, 3000)}`;
  assert.equal(answer.status, status, about);
  for (const one of [says].flat())
    if (typeof one === 'string') assert.ok(answer.text.includes(one), `${JSON.stringify(one)} is not in ${about}`);
    else if (typeof one === 'function') one(answer);
    else assert.match(answer.text, one, about);
  for (const [name, path] of Object.entries(sent.keep ?? {})) {
    const value = path.split('.').reduce((from, step) => from?.[step], answer.json);
    assert.equal(typeof value, 'string', `${path} of ${about}`);
    kept.set(name, value);
  }
}

/** The events of a watch as a list. It has `events` of them, or all events until the server ends the watch. */
async function watched(replica: TestReplica, target: string, { events }: Sent): Promise<TestAnswer> {
  const seen: unknown[] = [];
  let enough: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const stream = await replica.watch(target, (event) => {
    if (seen.push(event) === events) enough();
  });
  await Promise.race([all, stream.ended]);
  stream.close();
  return { status: 200, headers: {}, text: JSON.stringify(seen), json: seen };
}

/** Makes an assertion about the value at a path of the answer, as in `is('metadata.name', 'a')`. */
export function is(path: string, wanted: unknown): (answer: TestAnswer) => void {
  return ({ json, text }) => {
    const value = path.split('.').reduce((from, step) => from?.[step], json);
    assert.deepEqual(value, wanted, `${path} of ${text.slice(0, 3000)}`);
  };
}

/** Makes an assertion that the answer does not contain a text. */
export function lacks(unwanted: string): (answer: TestAnswer) => void {
  return ({ text }) => assert.ok(!text.includes(unwanted), `${unwanted} is in ${text.slice(0, 3000)}`);
}

/** Makes an assertion about a header of the answer. Undefined means that the header must be absent. */
export function header(name: string, wanted: RegExp | string | undefined): (answer: TestAnswer) => void {
  return ({ headers }) => {
    const value = headers[name.toLowerCase()];
    if (wanted === undefined) assert.equal(value, undefined);
    else if (typeof wanted === 'string') assert.equal(String(value), wanted);
    else assert.match(String(value), wanted);
  };
}

/** Makes an assertion about the names in a list, sorted. */
export function names(...wanted: string[]): (answer: TestAnswer) => void {
  return ({ json, text }) =>
    assert.deepEqual(
      json.items?.map((item: { metadata: { name: string } }) => item.metadata.name).sort(),
      [...wanted].sort(),
      text.slice(0, 3000),
    );
}
