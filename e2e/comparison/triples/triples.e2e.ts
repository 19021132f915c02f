import assert from 'node:assert/strict';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { formatJson } from '#client/json.ts';
import { partOfRows } from '../../part-of-rows.ts';
import { findYardstick, runYardstick } from '../compare.ts';
import { type ComparisonServer, startComparisonServer } from '../comparison-server.ts';
import { runTriple } from '../run-triple.ts';
import { tripleTables } from './all.ts';
import { better } from './better.ts';
import { freeDefinition } from './custom.ts';
import { generateTriple } from './generate.ts';

/** The number of generated triples. `TRIPLES_SEED` sets the seed. */
const GENERATED = 60;
const SEED = Number(process.env['TRIPLES_SEED'] ?? 1);

const tables = {
  ...tripleTables,
  'made by a generator': Array.from({ length: GENERATED }, (_, number) => generateTriple(SEED, number)),
};

describe('orchctl apply compared with the upstream client', function () {
  this.timeout(120_000);
  const yardstick = findYardstick();
  let server: ComparisonServer;
  before(async function () {
    if (yardstick === undefined) return this.skip();
    server = await startComparisonServer();
    const words = ['create', '--validate=false', '-f', '-'];
    const { code, stderr } = await runYardstick(yardstick, words, server.kubeconfig, formatJson(freeDefinition));
    assert.equal(code, 0, stderr);
    const wait = ['wait', 'crd/frees.example.com', '--for=condition=Established'];
    await runYardstick(yardstick, wait, server.kubeconfig);
  });
  after(() => server?.stop());

  let places = 0;
  const isInPart = partOfRows();
  for (const [table, triples] of Object.entries(tables))
    describe(table, () => {
      for (const triple of triples.filter(isInPart))
        it(triple.what, async () => {
          const both = { yardstick: yardstick!, server };
          const place = places++;
          const ours = await runTriple(triple, 'ours', `place-${place}-a`, both);
          const theirs = await runTriple(triple, 'theirs', `place-${place}-b`, both);
          const [{ said: saidHere, ...here }, { said: saidThere, ...there }] = [ours, theirs];
          const meant = better.get(triple.what);
          const said = `\nours said:\n${saidHere}\ntheirs said:\n${saidThere}`;
          if (meant === undefined) {
            assert.deepEqual(here, there, said);
            return;
          }
          assert.notDeepEqual(here, there, 'they do not differ any more: take it out of the list');
          assert.deepEqual(here.codes, [0, 0, 0], said);
          const [first, once, twice] = here.live;
          assert.deepEqual(twice, once, 'a second time changes something');
          if (triple.change === undefined && jsonEqual(triple.file, triple.next)) assert.deepEqual(once, first);
          assert.deepEqual(valueAt(twice, meant.at), meant.value, said);
        });
    });

  it('include every case that is listed as intentionally better', () => {
    const names = new Set(Object.values(tripleTables).flatMap((triples) => triples.map(({ what }) => what)));
    assert.deepEqual(
      [...better.keys()].filter((what) => !names.has(what)),
      [],
    );
  });
});

/** The value at a path such as `spec.ports.0`. */
function valueAt(object: JsonValue | undefined, place: string): JsonValue | undefined {
  return place
    .split('.')
    .reduce<JsonValue | undefined>(
      (value, step) => (Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined),
      object,
    );
}
