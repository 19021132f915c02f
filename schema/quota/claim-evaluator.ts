import { table } from '#base/collections/own-properties.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { PersistentVolumeClaim } from '../generated/core.v1.ts';
import { labelMatcher } from '../validation/label-selector.ts';
import { parseQuantity, type Quantity } from '../values/quantity.ts';
import { countEvaluator, type Evaluator, ONE, type Scope } from './evaluator.ts';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';

/** Whether a claim is in a scope. The only scope is the class of attributes that its volume has or will have. */
export function claimInScope({ spec, status }: PersistentVolumeClaim, scope: Scope): boolean {
  const { scopeName, operator, values } = scope;
  if (scopeName !== 'VolumeAttributesClass') return false;
  const matches = labelMatcher({ matchExpressions: [{ key: scopeName, operator, values: values ?? null }] });
  const classes = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '');
  return classes.length === 0 ? matches({}) : classes.some((name) => matches({ [scopeName]: name! }));
}

/** Counts volume claims and the storage that they request, in total and for each storage class. */
export function claimEvaluator(naming: Naming): Evaluator {
  const classDomain = naming.domain('storageclass.storage');
  const perClass = [`.${classDomain}/${STORAGE}`, `.${classDomain}/${CLAIMS}`];
  const oldField = naming.key('volume.beta/storage-class');
  return {
    ...countEvaluator(COUNT, CLAIMS, STORAGE),
    operations: ['CREATE', 'UPDATE'],
    inScope: (object, scope) => claimInScope(object as PersistentVolumeClaim, scope),
    matching: (names) =>
      names.filter(
        (name) => [COUNT, CLAIMS, STORAGE].includes(name) || perClass.some((suffix) => name.endsWith(suffix)),
      ),
    usage(object) {
      const { metadata, spec } = object as PersistentVolumeClaim;
      const usage: Record<string, Quantity> = table({ [COUNT]: ONE, [CLAIMS]: ONE });
      const storageClass = metadata.annotations?.[oldField] ?? spec?.storageClassName ?? '';
      if (storageClass !== '') usage[`${storageClass}.${classDomain}/${CLAIMS}`] = ONE;
      const asked = spec?.resources?.requests?.['storage'];
      if (asked === undefined) return usage;
      const amount = parseQuantity(asked);
      usage[STORAGE] = amount;
      if (storageClass !== '') usage[`${storageClass}.${classDomain}/${STORAGE}`] = amount;
      return usage;
    },
  };
}
