import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { RELEASE } from '#program/flags/release.ts';
import { runLine } from '../testing/run-line.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };

/** A server whose minor release number is larger than this program's by `more`. */
function serverOf(more: number, suffix = ''): FakeServer {
  const server = new FakeServer([configMaps]);
  const minor = `${Number(RELEASE.minor) + more}${suffix}`;
  const version = { major: RELEASE.major, minor, gitVersion: `v${RELEASE.major}.${minor}.0` };
  server.handle((_, path) => (path === '/version' ? version : undefined));
  return server;
}

describe('servers of another release', () => {
  const refusals: readonly [line: string, more: number, refused: boolean][] = [
    ['get configmaps', 3, false],
    ['get configmaps --match-server-version', 0, false],
    ['get configmaps --match-server-version', 1, true],
    ['version --match-server-version', -1, true],
  ];
  for (const [line, more, refused] of refusals)
    it(`${line}, ${more} minor releases later: ${refused ? 'refused' : 'answered'}`, async () => {
      const { stderr, code } = await runLine(wordsOf(line), { client: serverOf(more).client });
      assert.equal(code, refused ? 1 : 0, stderr);
      if (refused) assert.match(stderr, /^error: server version \(1\.\d+\) differs from client version \(1\.\d+\)\n$/);
    });

  const skews: readonly [more: number, suffix: string, told: boolean][] = [
    [0, '+', false],
    [1, '', false],
    [-1, '', false],
    [2, '+', true],
    [-2, '', true],
  ];
  for (const [more, suffix, told] of skews)
    it(`version, ${more}${suffix} minor releases later: ${told ? 'a warning' : 'no warning'}`, async () => {
      const { stderr, code } = await runLine(['version'], { client: serverOf(more, suffix).client });
      assert.equal(code, 0, stderr);
      assert.equal(/^WARNING: version difference between client .* exceeds the supported minor/.test(stderr), told);
    });
});
