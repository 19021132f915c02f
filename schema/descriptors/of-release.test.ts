import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ReleaseName, releaseOf, releases } from '#base/release/release.ts';
import { buildSchema } from './build-schema.ts';
import { loadSchema } from './load.ts';
import { filesOfRelease } from './of-release.ts';
import { ProtoError, type ProtoField, type ProtoFile, type ProtoOptions } from './proto-data.ts';

const naming = createNaming('orch');
const string = (name: string, options?: ProtoOptions): ProtoField => ({
  ...{ name, type: 'string', id: 1 },
  ...(options && { options }),
});

function file(version: string, options: ProtoOptions, messages: ProtoFile['messages']): ProtoFile {
  return {
    package: `toys.${version}`,
    options: { group: 'toys', version, discovery_order: 1, ...options },
    messages,
  };
}

function kind(name: string, resource: object, options: ProtoOptions = {}, fields: ProtoField[] = []) {
  return {
    name,
    options: { type_meta: true, ...options, resource: { plural: `${name.toLowerCase()}s`, ...resource } },
    fields,
  };
}

function built(files: readonly ProtoFile[], release: ReleaseName) {
  return buildSchema(files, naming, releaseOf(release));
}

describe('filesOfRelease', () => {
  it('keeps the fields and enum values of the release', () => {
    const fields = [
      string('name'),
      string('later', { since: '1.29' }),
      string('former', { until: '1.29' }),
      string('mood', { enum: 'Glad|Calm@1.28|Sad@-1.30|Odd@1.27-1.29' }),
    ];
    const files = [file('v1', {}, [{ name: 'Toy', fields }])];
    const cases: [ReleaseName, fields: string[], moods: string[]][] = [
      ['1.25', ['name', 'former', 'mood'], ['Glad', 'Sad']],
      ['1.28', ['name', 'former', 'mood'], ['Glad', 'Calm', 'Sad', 'Odd']],
      ['1.29', ['name', 'later', 'mood'], ['Glad', 'Calm', 'Sad']],
      ['1.30', ['name', 'later', 'mood'], ['Glad', 'Calm']],
    ];
    for (const [release, names, moods] of cases) {
      const toy = built(files, release).message('toys.v1.Toy');
      assert.deepEqual(
        toy.jsonFields.map(({ name }) => name),
        names,
        release,
      );
      assert.deepEqual(toy.byJsonName.get('mood')?.enum, moods, release);
    }
  });

  it('keeps the kinds, subresources, columns and short names of the release', () => {
    const toy = kind('Toy', {
      subresources: [{ name: 'status' }, { name: 'resize', since: '1.33' }],
      columns: [{ name: 'Name' }, { name: 'Old', until: '1.31' }],
      selectable_fields: ['spec.size@1.30'],
      short_names: ['t', 'ty@1.35'],
    });
    const files = [file('v1', {}, [toy, kind('Game', {}, { kind_since: '1.30' }), kind('Rest', { virtual: true })])];
    const shown = (release: ReleaseName) =>
      built(files, release).groupVersions[0]!.resources.map((resource) => {
        const names = [resource.subresources, resource.columns].map((list) => list.map(({ name }) => name).join());
        return [resource.plural, ...names, resource.selectableFields.join(), resource.shortNames.join()].join(' ');
      });
    assert.deepEqual(shown('1.29'), ['rests    ', 'toys status Name,Old  t']);
    assert.deepEqual(shown('1.37'), ['games    ', 'rests    ', 'toys status,resize Name spec.size t,ty']);
    assert.equal(built(files, '1.29').kind('toys', 'v1', 'Game'), undefined);
  });

  it('keeps the versions that the release serves, and versions that it only stores', () => {
    const stored = { storage: { version: 'v1beta1' } };
    const files = [
      file('v1beta1', {}, [
        kind('Toy', { lifecycle: { removed: '1.29' } }),
        kind('Gone', { lifecycle: { removed: '1.26' } }),
      ]),
      file('v1', { version_since: '1.27' }, [kind('Toy', stored)]),
      file('v2', { version_since: '1.31', version_until: '1.35' }, [kind('Game', {})]),
    ];
    const shown = (release: ReleaseName) =>
      built(files, release).groupVersions.map(
        ({ version, resources }) => `${version} ${resources.map(({ plural, served }) => `${plural}:${served}`).join()}`,
      );
    assert.deepEqual(shown('1.25'), ['v1beta1 gones:true,toys:true']);
    assert.deepEqual(shown('1.27'), ['v1beta1 toys:true', 'v1 toys:true']);
    assert.deepEqual(shown('1.31'), ['v1beta1 toys:false', 'v1 toys:true', 'v2 games:true']);
    assert.deepEqual(shown('1.35'), ['v1beta1 toys:false', 'v1 toys:true', 'v2 ']);
  });

  it('returns the same files for every release if nothing has a since or until option', () => {
    const files = [
      file('v1', {}, [kind('Toy', { columns: [{ name: 'Name' }] }, {}, [string('mood', { enum: 'Glad' })])]),
    ];
    for (const release of releases) assert.deepEqual(filesOfRelease(files, release)[0], files[0]);
    assert.equal(filesOfRelease(files, releaseOf('1.25'))[0], files[0]);
  });

  it('refuses a date that is not the name of a release', () => {
    const files = [file('v1', {}, [{ name: 'Toy', fields: [string('name', { since: '29' })] }])];
    assert.throws(() => filesOfRelease(files, releaseOf('1.25')), ProtoError);
  });
});

describe('proto/', () => {
  for (const release of releases)
    it(`defines descriptors for all messages of ${release.name}`, () => {
      const schema = loadSchema(naming, release);
      assert.equal(schema.release, release);
      assert.ok(schema.messages.size > 600);
      assert.ok(schema.groupVersions.length > 20);
    });
});
