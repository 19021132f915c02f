import assert from 'node:assert/strict';
import { naming, trying } from '../testing/try-plugin.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';

const named = (name: string, annotation?: string, value = 'true') => ({
  metadata: { name, ...(annotation === undefined ? {} : { annotations: { [naming.key(annotation)]: value } }) },
});

const kinds = [
  {
    make: defaultStorageClass,
    classes: 'storage/storageclasses',
    mark: 'storageclass/is-default-class',
    about: { resource: 'persistentvolumeclaims' },
    field: 'storageClassName',
    oldField: 'volume.beta/storage-class',
    several: 'Internal error occurred: 2 default StorageClasses were found',
  },
  {
    make: defaultIngressClass,
    classes: 'networking/ingressclasses',
    mark: 'ingressclass/is-default-class',
    about: { group: 'networking', resource: 'ingresses' },
    field: 'ingressClassName',
    oldField: 'ingress.class',
    several: 'Internal error occurred: 2 default IngressClasses were found',
  },
] as const;

for (const { make, classes, mark, about, field, oldField, several } of kinds) {
  describe(`the default of ${classes}`, () => {
    const attempt = (all: object[], spec: object = {}, annotations: object = {}) =>
      trying(make, { objects: { [classes]: all } })({
        ...about,
        object: { metadata: { name: 'x', annotations }, spec },
      });
    const one = named('one', mark);

    it('is set if the field is missing', async () =>
      assert.equal((await attempt([one, named('x')])).object.spec[field], 'one'));

    it('is not set if the object has a value in the field or in the old annotation', async () => {
      assert.equal((await attempt([one], { [field]: '' })).object.spec[field], '');
      assert.equal((await attempt([one], {}, { [naming.key(oldField)]: '' })).object.spec[field], undefined);
    });

    it('does not exist without the annotation', async () => {
      assert.equal((await attempt([named('x', mark, 'TRUE')])).object.spec[field], undefined);
    });

    it('is an error if two classes are annotated, unless the object has a value', async () => {
      assert.equal((await attempt([one, named('two', mark)])).refused, several);
      assert.equal((await attempt([one, named('two', mark)], { [field]: 'x' })).refused, '');
    });
  });
}
