import assert from 'node:assert/strict';
import { FieldPath, inWordsOf } from '#base/errors/field-error.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { OwnerReference } from '../objects/api-object.ts';
import { validateOwnerReferences } from './owner-references.ts';

const owner = { apiVersion: 'v1', kind: 'X', name: 'o', uid: '1' };
const at = 'metadata.ownerReferences';

describe('errors of owners by release', () => {
  const rows: readonly (readonly [
    release: ReleaseName,
    references: Partial<OwnerReference>[],
    errors: readonly string[],
  ])[] = [
    ['1.33', [{ ...owner, name: '' }], [`${at}.name: Invalid value: "": name must not be empty`]],
    ['1.34', [{ ...owner, name: '' }], [`${at}.name: Invalid value: "": must not be empty`]],
    ['1.37', [owner, { ...owner, name: '' }], [`${at}[1].name: Required value: must not be empty`]],
    ['1.36', [{ ...owner, apiVersion: '' }], [`${at}.apiVersion: Invalid value: "": version must not be empty`]],
    ['1.37', [{ ...owner, apiVersion: '' }], [`${at}[0].apiVersion: Required value: must not be empty`]],
    [
      '1.37',
      [{ ...owner, apiVersion: 'a/b/c' }],
      [`${at}[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`],
    ],
    [
      '1.37',
      [{ ...owner, kind: 'Event' }],
      [
        `${at}[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"1"}: /v1, Kind=Event is disallowed from being an owner`,
      ],
    ],
  ];
  for (const [release, references, errors] of rows)
    it(`${JSON.stringify(references.at(-1))} in ${release}`, () => {
      const found = validateOwnerReferences(references, new FieldPath('metadata').child('ownerReferences'));
      assert.deepEqual(
        inWordsOf(found, releaseOf(release)).map(({ text }) => text),
        errors,
      );
    });

  const names: readonly (readonly [release: ReleaseName, names: RegExp])[] = [
    ['1.36', /references for o and p$/],
    ['1.37', /references for X\/o and X\/p$/],
  ];
  for (const [release, pattern] of names)
    it(`name the second controller in ${release}`, () => {
      const references = [owner, { ...owner, name: 'p' }].map((each) => ({ ...each, controller: true }));
      const [error] = inWordsOf(validateOwnerReferences(references, new FieldPath('a')), releaseOf(release));
      assert.match(error!.text, pattern);
    });
});
