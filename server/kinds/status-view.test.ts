import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { releaseOf } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from './status-view.ts';
import { everyKind, rulesOf } from './testing/every-kind.ts';

describe('a status subresource', () => {
  it('does not change spec, labels, annotations, finalizers and owners', () => {
    const old = { metadata: { name: 'x', resourceVersion: '1', labels: { a: '1' } }, spec: { a: 1 } };
    const object = {
      metadata: {
        name: 'x',
        resourceVersion: '2',
        labels: { b: '2' },
        annotations: { c: '3' },
        finalizers: ['e.com/f'],
      },
      spec: { a: 2 },
      status: { b: 3 },
    };
    keepAllButStatus(object, old);
    const metadata = { name: 'x', resourceVersion: '2', labels: { a: '1' } };
    assert.deepEqual(object, { metadata, spec: { a: 1 }, status: { b: 3 } });
  });
});

describe('the status of a kind of a later release', () => {
  const release = releaseOf('1.37');
  const kinds = [
    'admissionregistration/validatingadmissionpolicies',
    'certificates/podcertificaterequests',
    'networking/servicecidrs',
    'resource/devicetaintrules',
    'resource/resourceclaims',
    'storagemigration/storageversionmigrations',
  ];
  const metadata = { name: 'x', labels: { a: '1' } };
  for (const identity of kinds) {
    it(`is written without the labels and annotations of ${identity}`, () => {
      const kind = rulesOf(release).get(identity)!;
      const [version] = [...everyKind(release)].filter((each) => each.kind.plural === kind.plural);
      const old = { metadata } as ApiObject;
      const object = { metadata: { name: 'x', annotations: { b: '2' } }, status: {} } as ApiObject;
      kind.subresources!['status']!.prepareForUpdate!(object, old, version!.context);
      assert.deepEqual(object, { metadata, status: {} });
      assert.equal(kind.statusResets, METADATA_AND_SPEC);
    });
  }
});

describe('the answer to the deletion of a kind of devices', () => {
  const rows: readonly (readonly [plural: string, object: boolean])[] = [
    ['deviceclasses', true],
    ['resourceclaims', true],
    ['resourceclaimtemplates', true],
    ['resourceslices', true],
    ['devicetaintrules', false],
  ];
  const types = loadSchema(createNaming('orch'), releaseOf('1.37')).groupVersions.flatMap(({ resources }) => resources);
  for (const [plural, object] of rows) {
    it(`is ${object ? 'the object' : 'a status'} for ${plural}`, () => {
      const own = types.filter((type) => type.plural === plural && type.served);
      assert.deepEqual([...new Set(own.map((type) => type.deleteAnswersObject))], [object]);
    });
  }
});
