import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { formatJson, parseJson } from '#client/json.ts';
import { runOwn, runYardstick } from './compare.ts';
import type { ComparedWith } from './compare-line.ts';
import type { Triple } from './triples/triple.ts';

/** The result of a triple. */
export interface TripleOutcome {
  /** The exit codes of the three calls of apply. */
  readonly codes: readonly number[];
  /** The object after each of the three calls. Undefined if it does not exist. */
  readonly live: readonly (JsonObject | undefined)[];
  /** The messages of the calls, for the report. */
  readonly said: string;
}

/** The fields that differ from object to object, or whose values a server or a controller chooses. */
const OWN_TO_EACH = new Set([
  'uid',
  'status',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'nodePort',
  'clusterIP',
  'clusterIPs',
]);

/**
 * Runs a triple with one of the two programs, in a new namespace. The field's client makes the changes of other
 * writers.
 */
export async function runTriple(
  triple: Triple,
  program: 'theirs' | 'ours',
  place: string,
  { yardstick, server }: ComparedWith,
): Promise<TripleOutcome> {
  const text = (object: JsonValue) => formatJson(object).replaceAll('PLACE', place);
  const run = async (words: readonly string[], input = '') => {
    const outcome = await runYardstick(yardstick, [...words, '-n', place], server.kubeconfig, input);
    if (outcome.code !== 0) throw new Error(`${words.join(' ')}: ${outcome.stderr}`);
    return outcome.stdout;
  };
  const codes: number[] = [];
  let said = '';
  const apply = async (file: JsonObject) => {
    const words = ['apply', '-f', '-', '-n', place, ...(triple.flags ?? [])];
    const outcome =
      program === 'theirs'
        ? await runYardstick(yardstick, words, server.kubeconfig, text(file))
        : await runOwn(words, server.kubeconfig, server.home, text(file));
    codes.push(outcome.code);
    said += outcome.stdout + outcome.stderr;
  };
  const { kind, apiVersion, metadata } = parseJson(text(triple.file)) as JsonObject;
  const what = [`${String(kind)}.${typeOf(String(apiVersion))}`, String((metadata as JsonObject)['name'])];
  const get = async () => {
    const found = await run(['get', ...what, '-o', 'json', '--ignore-not-found']);
    if (found === '') return undefined;
    const { uid } = (parseJson(found) as JsonObject)['metadata'] as JsonObject;
    return compared(parseJson(found.replaceAll(place, 'PLACE').replaceAll(String(uid), 'UID'))) as JsonObject;
  };

  await run(['create', 'namespace', place]);
  await apply(triple.file);
  const first = await get();
  if (triple.change !== undefined) {
    const by = triple.by ?? (kind === 'Free' ? 'merge' : 'strategic');
    await run(['patch', ...what, `--type=${by}`, '-p', text(triple.change)]);
  }
  await apply(triple.next);
  const once = await get();
  await apply(triple.next);
  return { codes, live: [first, once, await get()], said };
}

/** The part that follows a kind, such as `v1.apps`. */
function typeOf(apiVersion: string): string {
  const [version, group = ''] = apiVersion.split('/').reverse();
  return `${version}.${group}`;
}

function compared(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(compared);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !OWN_TO_EACH.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, compared(inner)]));
}
