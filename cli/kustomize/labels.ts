import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { fieldOf } from './configurations.ts';
import { changeField, type FieldSpec, type FieldSpecs, isOf, mergeFields } from './field-specs.ts';
import { entries, type Kustomization, listOf, textMap } from './kustomization.ts';
import type { Resource } from './resource.ts';

/** Applies `labels`, `commonLabels` and `commonAnnotations`. @throws CommandError if they are malformed */
export function addLabels(kustomization: Kustomization, resources: readonly Resource[], specs: FieldSpecs): void {
  for (const entry of entries(kustomization, 'labels'))
    addTexts(resources, textMap(entry, 'pairs'), labelFields(entry, specs));
  addTexts(resources, textMap(kustomization.fields, 'commonLabels'), specs.commonLabels);
  addTexts(resources, textMap(kustomization.fields, 'commonAnnotations'), specs.commonAnnotations);
}

/**
 * The fields to which an entry's labels are added. The fields that the entry itself names come first, and the others
 * must agree with them.
 */
function labelFields(entry: JsonObject, specs: FieldSpecs): readonly FieldSpec[] {
  const own = listOf(entry, 'fields').map((field) => fieldOf(field, 'labels'));
  const merge = (what: string, known: readonly FieldSpec[], added: readonly FieldSpec[]) => {
    try {
      return mergeFields(known, added);
    } catch (error) {
      throw new CommandError(`failed to merge ${what}: ${(error as Error).message}`);
    }
  };
  if (entry['includeSelectors'] === true) return merge('labels', own, specs.commonLabels);
  const templates = entry['includeTemplates'] === true ? merge('template fieldSpec', own, specs.templateLabels) : own;
  return merge('labels', templates, [
    ...specs.labels,
    { group: '', version: '', kind: '', path: 'metadata/labels', create: true },
  ]);
}

function addTexts(resources: readonly Resource[], added: JsonObject, fields: readonly FieldSpec[]): void {
  if (Object.keys(added).length === 0) return;
  for (const one of resources)
    for (const field of fields)
      if (isOf(one, field))
        changeField(
          one,
          field,
          (value) => ({ ...mapIn(value), ...added }),
          () => ({}),
        );
}

function mapIn(value: JsonValue): JsonObject {
  if (value === null) return {};
  if (isObject(value)) return value;
  const [node, content] = Array.isArray(value)
    ? ['SequenceNode', JSON.stringify(value)]
    : ['ScalarNode', String(value)];
  throw new CommandError(`wrong node kind: expected MappingNode but got ${node}: node contents:\n${content}\n`);
}
