import assert from 'node:assert/strict';
import { ConfigError } from '../errors/config-error.ts';
import { createNaming } from '../naming/create-naming.ts';
import type { NamingProfile } from '../naming/naming.ts';
import { between, inForce, since, until } from './in-force.ts';
import { parseRelease } from './parse-release.ts';
import { defaultRelease, findRelease, type Lifespan, latestRelease, minorOf, releaseOf, releases } from './release.ts';

describe('Release', () => {
  it('is the same object for each spelling of its name', () => {
    assert.equal(releases.length, 13);
    for (const release of releases) {
      assert.equal(releaseOf(release.name), release);
      assert.equal(findRelease(`v${release.name}`), release);
    }
    assert.equal(defaultRelease.gitVersion, 'v1.25.16');
    assert.equal(latestRelease.gitVersion, 'v1.37.2');
  });

  const lifespans: [lifespan: Lifespan, first: number, last: number][] = [
    [{}, 25, 37],
    [{ since: '1.29' }, 29, 37],
    [{ until: '1.29' }, 25, 28],
    [{ since: '1.28', until: '1.31' }, 28, 30],
    [{ since: '1.13', until: '1.25' }, 25, 24],
  ];
  for (const [lifespan, first, last] of lifespans)
    it(`serves ${JSON.stringify(lifespan)} from 1.${first} to 1.${last}`, () => {
      const serving = releases.filter((release) => release.serves(lifespan)).map(({ minor }) => minor);
      assert.deepEqual(
        serving,
        releases.map(({ minor }) => minor).filter((minor) => minor >= first && minor <= last),
      );
    });

  it('compares itself with earlier and later releases by atLeast', () => {
    const { atLeast } = releaseOf('1.29');
    assert.deepEqual([28, 29, 30].map(atLeast), [true, true, false]);
  });

  for (const text of ['1', '1.x', '2.29', '1.029', 'v1.29', '1.29.1', ''])
    it(`minorOf refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => minorOf(text), /is not the name of a release/);
    });
});

describe('parseRelease', () => {
  const good: [profile: NamingProfile, text: string, minor: number][] = [
    ['orch', '1.25', 25],
    ['orch', '1.37', 37],
    ['orch', 'v1.30', 30],
    ['kubernetes', '1.30', 30],
    ['kubernetes', 'kube=1.30', 30],
    ['kubernetes', 'kube=v1.30', 30],
  ];
  for (const [profile, text, minor] of good)
    it(`reads ${text} as 1.${minor} with the naming ${profile}`, () => {
      assert.equal(parseRelease('emulated-version', text, createNaming(profile)).minor, minor);
    });

  const bad: [profile: NamingProfile, text: string, message: RegExp][] = [
    ['orch', '1.24', /^--emulated-version must be a release from 1\.25 to 1\.37: "1\.24"$/],
    ['orch', '1.38', /from 1\.25 to 1\.37: "1\.38"/],
    ['orch', 'kube=1.30', /from 1\.25 to 1\.37: "kube=1\.30"/],
    ['kubernetes', 'etcd=1.30', /from 1\.25 to 1\.37, with or without kube= in front: "etcd=1\.30"/],
    ['kubernetes', 'kube=kube=1.30', /"kube=kube=1\.30"/],
    ['orch', '1.30.1', /"1\.30\.1"/],
    ['orch', '', /: ""$/],
    ['orch', '__proto__', /"__proto__"/],
  ];
  for (const [profile, text, message] of bad)
    it(`refuses ${JSON.stringify(text)} with the naming ${profile}`, () => {
      assert.throws(
        () => parseRelease('emulated-version', text, createNaming(profile)),
        (error) => error instanceof ConfigError && message.test(error.message),
      );
    });
});

describe('a table with entries for several releases', () => {
  it('gives the entries of one release, in the order of the table', () => {
    const entries = ['always', since('1.29', 'later'), until('1.29', 'before'), between('1.27', '1.31', 'a while')];
    const cases: [Parameters<typeof releaseOf>[0], string[]][] = [
      ['1.25', ['always', 'before']],
      ['1.28', ['always', 'before', 'a while']],
      ['1.29', ['always', 'later', 'a while']],
      ['1.31', ['always', 'later']],
    ];
    for (const [name, held] of cases) assert.deepEqual(inForce(releaseOf(name), entries), held, name);
  });
});
