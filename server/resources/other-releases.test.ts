import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createNaming } from '#base/naming/create-naming.ts';
import { releaseOf } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { arbitraryObject } from '../codecs/protobuf/arbitrary-object.test.ts';
import { hiddenFields, type OtherReleases } from './other-releases.ts';

const naming = createNaming('orch');
const own = loadSchema(naming, releaseOf('1.25'));
const whole = loadSchema(naming, 'every');
const others = { have: true } as OtherReleases;

describe('hiddenFields: fields that another release has stored', () => {
  for (const name of ['core.v1.Pod', 'batch.v1.Job', 'core.v1.Node', 'core.v1.PersistentVolumeClaim']) {
    const hidden = hiddenFields(others, own.message(name), naming);

    it(`${name}: are hidden from clients, and restored if a client changes nothing`, () => {
      fc.assert(
        fc.property(arbitraryObject(whole.message(name)), (any) => {
          const stored = normalize(whole.message(name), any);
          const shown = hidden.without(asObject(stored));
          assert.deepEqual(normalize(own.message(name), shown), asJson(shown));
          assert.deepEqual(asJson(hidden.restored(shown, stored)), stored);
        }),
        { numRuns: 50 },
      );
    });
  }

  it('do not exist in kinds without such fields', () => {
    assert.equal(hiddenFields(others, own.message('core.v1.Pod'), naming).may, true);
    assert.equal(hiddenFields(others, own.message('core.v1.ConfigMap'), naming).may, false);
    assert.equal(hiddenFields({ have: false } as OtherReleases, own.message('core.v1.Pod'), naming).may, false);
  });

  const hidden = hiddenFields(others, own.message('core.v1.Pod'), naming);
  const gated = (name: string, gate = 'a') => ({ name, image: 'i', restartPolicy: gate });
  const cases: [about: string, stored: object, sent: object, after: object][] = [
    [
      'are restored in the list item with the same key',
      { spec: { containers: [gated('a', 'x'), gated('b', 'y')] } },
      { spec: { containers: [{ name: 'b', image: 'j' }, { name: 'c' }] } },
      { spec: { containers: [{ name: 'b', image: 'j', restartPolicy: 'y' }, { name: 'c' }] } },
    ],
    [
      'are removed together with the object that contains them',
      { spec: { schedulingGates: [{ name: 'g' }], securityContext: { supplementalGroupsPolicy: 'Strict' } } },
      { spec: {} },
      { spec: { schedulingGates: [{ name: 'g' }] } },
    ],
    [
      'are restored in lists without keys only if the list did not change',
      { spec: { readinessGates: [], tolerations: [{ key: 'a' }], hostname: 'h', hostnameOverride: 'o' } },
      { spec: { tolerations: [{ key: 'b' }], hostname: 'i' } },
      { spec: { tolerations: [{ key: 'b' }], hostname: 'i', hostnameOverride: 'o' } },
    ],
  ];
  for (const [about, stored, sent, after] of cases)
    it(about, () => {
      const form = (of: typeof own, object: object) => normalize(of.message('core.v1.Pod'), object);
      assert.deepEqual(asJson(hidden.restored(asObject(form(own, sent)), form(whole, stored))), form(whole, after));
    });
});
