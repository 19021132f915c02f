import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '#base/json/json-value.ts';
import { inFairTurns } from '#base/time/fair-turn.ts';
import { loadSchema } from '../descriptors/load.ts';
import { type Apply, apply, applyInSteps } from './apply.ts';
import { objectSchemaOf } from './apply-type.ts';
import { trackUpdate, trackUpdateInSteps, type Update } from './update.ts';

const message = loadSchema().message('core.v1.ConfigMap');
const versions = { schema: () => objectSchemaOf(message), convert: () => undefined };
const write = { apiVersion: 'v1', subresource: '', versions, now: new Date(0) };

interface Change {
  readonly manager: string;
  readonly data: { readonly [key: string]: string };
  readonly applies: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  manager: fc.constantFrom('a', 'b'),
  data: fc.dictionary(fc.constantFrom('k', 'l', 'm', 'n'), fc.constantFrom('1', '2')),
  applies: fc.boolean(),
});

/** Changes of one object, one after another. Each starts from the previous object. */
const changes = fc.array(change, { minLength: 1, maxLength: 6 });

const objectOf = (data: Change['data']): JsonObject => ({ apiVersion: 'v1', data: { ...data } });

function applyOf(live: JsonObject | undefined, { manager, data }: Change): Apply {
  return { ...write, live, manager, force: true, config: objectOf(data) };
}

function updateOf(live: JsonObject | undefined, { manager, data }: Change): Update {
  const metadata = live?.['metadata'];
  return { ...write, live, manager, updated: { ...objectOf(data), ...(metadata === undefined ? {} : { metadata }) } };
}

function straight(all: readonly Change[]): JsonObject | undefined {
  let object: JsonObject | undefined;
  for (const one of all) object = one.applies ? apply(applyOf(object, one)).object : trackUpdate(updateOf(object, one));
  return object;
}

async function inTurns(all: readonly Change[], pause: () => Promise<void>): Promise<JsonObject | undefined> {
  let object: JsonObject | undefined;
  for (const one of all) {
    const steps = one.applies ? applyInSteps(applyOf(object, one)) : trackUpdateInSteps(updateOf(object, one));
    for (;;) {
      const { done, value } = steps.next();
      if (done !== true) await pause();
      else {
        object = 'changed' in value ? (value as ReturnType<typeof apply>).object : (value as JsonObject);
        break;
      }
    }
  }
  return object;
}

describe('apply and update in steps', () => {
  it('give the same results as at once, even if another write runs between the steps', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (ours, theirs) => {
        const pause = async (): Promise<void> => {};
        const both = await Promise.all([inTurns(ours, pause), inTurns(theirs, pause)]);
        assert.deepEqual(both, [straight(ours), straight(theirs)]);
      }),
    );
  });

  it('let other tasks run if a write takes long', async () => {
    const data = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key-${i}`, 'v']));
    const live = apply(applyOf(undefined, { manager: 'a', data, applies: true })).object;
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const again = applyOf(live, { manager: 'b', data: { ...data, 'key-1': 'w' }, applies: true });
    const { object } = await inFairTurns(applyInSteps(again));
    over = true;
    assert.ok(turns > 1, `others had ${turns} turns`);
    assert.deepEqual(object, apply(again).object);
  });
});
