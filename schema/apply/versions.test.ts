import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import type { ManagedFieldsEntry } from '../objects/api-object.ts';
import { apply } from './apply.ts';
import { type ApplyType, type ObjectApplyType, STRING } from './apply-type.ts';
import { parseFieldSet, serializeFieldSet } from './fields-v1.ts';
import type { Versions } from './object-schema.ts';
import { reconcileFieldSet } from './reconcile.ts';
import { fromScaleFields, toScaleFields } from './scale-fields.ts';
import { managedFieldsOf, trackUpdate } from './update.ts';

function object(fields: Record<string, ApplyType>, atomic = false): ObjectApplyType {
  return { kind: 'object', atomic, fields: new Map(Object.entries(fields)), others: undefined };
}

const metadata = object({ managedFields: { kind: 'leaf', accepts: 'anything' } });
const common = { apiVersion: STRING, metadata, spec: STRING };

/** One kind in two versions: the field `old` of v1 is the field `new` of v2. */
const versions: Versions = {
  schema(apiVersion) {
    const name = apiVersion === 'v1' ? 'old' : apiVersion === 'v2' ? 'new' : undefined;
    return name && { type: object({ ...common, [name]: object({ a: STRING, b: STRING }) }), empty: {} };
  },
  convert({ apiVersion: _, ...rest }, from, to) {
    const [there, here] = from === 'v1' ? ['old', 'new'] : ['new', 'old'];
    const { [there]: value, ...others } = rest;
    return { ...others, apiVersion: to, ...(value === undefined ? {} : { [here]: value }) };
  },
};
const write = { subresource: '', versions, now: new Date(0), force: false };
const shown = (value: JsonObject): string[] =>
  (managedFieldsOf(value) ?? []).map(
    (entry) => `${entry.manager} ${entry.apiVersion} ${JSON.stringify(entry.fieldsV1)}`,
  );

describe('field ownership in several API versions', () => {
  const v1 = apply({
    ...write,
    apiVersion: 'v1',
    live: undefined,
    manager: 'm',
    config: { apiVersion: 'v1', old: { a: '1', b: '1' } },
  }).object;
  const inV2 = versions.convert(v1, 'v1', 'v2')!;

  it('conflicts name the fields in the version of the owner', () => {
    const config = { apiVersion: 'v2', new: { a: '2' } };
    assert.throws(
      () => apply({ ...write, apiVersion: 'v2', live: inV2, manager: 'n', config }),
      /conflict with "m": .old.a/,
    );
  });

  it('an applier that changes the version keeps no entry in the old version', () => {
    const config = { apiVersion: 'v2', new: { a: '1' } };
    const { object: after } = apply({ ...write, apiVersion: 'v2', live: inV2, manager: 'm', config });
    assert.deepEqual(after.new, { a: '1' });
    assert.deepEqual(shown(after), ['m v2 {"f:new":{"f:a":{}}}']);
  });

  it('a field that another manager owns in another version stays', () => {
    const joined = apply({
      ...write,
      apiVersion: 'v2',
      live: inV2,
      manager: 'n',
      config: { apiVersion: 'v2', new: { b: '1' } },
    }).object;
    const back = versions.convert(joined, 'v2', 'v1')!;
    const { object: after } = apply({
      ...write,
      apiVersion: 'v1',
      live: back,
      manager: 'm',
      config: { apiVersion: 'v1' },
    });
    assert.deepEqual(after.old, { b: '1' });
    assert.deepEqual(shown(after), ['n v2 {"f:new":{"f:b":{}}}']);
  });

  it('an update takes fields from owners in other versions', () => {
    const updated = { ...inV2, new: { a: '1', b: '2' } };
    const after = trackUpdate({ ...write, apiVersion: 'v2', live: inV2, updated, manager: 'u' });
    assert.deepEqual(shown(after), ['m v1 {"f:old":{"f:a":{}}}', 'u v2 {"f:new":{"f:b":{}}}']);
  });
});

describe('reconcileFieldSet', () => {
  const type = (atomic: boolean): ApplyType =>
    object({
      spec: object({ a: STRING }, atomic),
      list: { kind: 'list', relation: atomic ? 'atomic' : 'set', keys: [], item: STRING },
    });
  const parts = { 'f:spec': { 'f:a': {} }, 'f:list': { 'v:"x"': {} } };
  const whole = { 'f:spec': {}, 'f:list': {} };

  it('gives the owner of a part the whole field if the field is now atomic', () => {
    assert.deepEqual(serializeFieldSet(reconcileFieldSet(parseFieldSet(parts), type(true))), whole);
  });
  it('keeps the owner of a whole field if the field is now granular', () => {
    const set = parseFieldSet(whole);
    assert.equal(reconcileFieldSet(set, type(false)), set);
  });
  it('does not change a set that fits the schema', () => {
    const set = parseFieldSet(parts);
    assert.equal(reconcileFieldSet(set, type(false)), set);
  });
});

describe('managed fields of a scale subresource', () => {
  const paths = { 'apps/v1': ['spec', 'replicas'] };
  const scale = { apiVersion: 'autoscaling/v1' };
  const entry = (manager: string, fieldsV1: JsonObject, more: JsonObject = {}) => ({
    manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: '2024-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...more,
  });
  const replicas = { 'f:spec': { 'f:replicas': {} } };
  const owner = entry('m', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } });
  const other = entry('o', { 'f:data': {} });

  it('show only the managers that own the number of replicas', () => {
    assert.deepEqual(toScaleFields([owner, other], paths, scale), [
      entry('m', replicas, { apiVersion: 'autoscaling/v1' }),
    ]);
  });
  it('move the ownership of replicas to the object when the scale gains another owner', () => {
    const after = [entry('s', replicas, { apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...gained } = entry('s', replicas, { subresource: 'scale' });
    assert.deepEqual(fromScaleFields([owner, other], after, paths, 'apps/v1'), [
      gained,
      entry('m', { 'f:spec': { 'f:paused': {} } }),
      other,
    ]);
  });
  it('of an unchanged scale keep an applier as it is and split the entry of an updater', () => {
    const unchanged = (...entries: ManagedFieldsEntry[]) =>
      fromScaleFields(entries, toScaleFields(entries, paths, scale), paths, 'apps/v1');
    const applier = { ...owner, operation: 'Apply' };
    assert.deepEqual(unchanged(applier, other), [applier, other]);
    const { time: _, ...moved } = entry('m', replicas);
    assert.deepEqual(unchanged(owner, other), [moved, entry('m', { 'f:spec': { 'f:paused': {} } }), other]);
  });
});
