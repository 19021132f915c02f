import assert from 'node:assert/strict';
import type { CatalogKind } from '../protocol/messages.ts';
import { kindOfLetters } from './kind-of-letters.ts';

const kind = (plural: string, ...shortNames: string[]): CatalogKind => ({
  id: `${plural}.v1.`,
  plural,
  kind: plural,
  group: '',
  version: 'v1',
  shortNames,
  isNamespaced: true,
  verbs: [],
});

describe('the letters after g', () => {
  const kinds = [
    kind('events', 'ev'),
    kind('nodeclaims'),
    kind('nodes', 'no'),
    kind('persistentvolumes', 'pv'),
    kind('pods', 'po'),
    kind('podtemplates'),
    kind('pvtables'),
    kind('deployments', 'deploy'),
    kind('po'),
  ];
  const cases: readonly [letters: string, plural: string | undefined][] = [
    ['p', 'pods'],
    ['n', 'nodes'],
    ['d', 'deployments'],
    ['ev', 'events'],
    ['no', 'nodes'],
    ['node', 'nodeclaims'],
    ['pv', 'persistentvolumes'],
    ['podt', 'podtemplates'],
    ['po', 'po'],
    ['x', undefined],
  ];
  for (const [letters, plural] of cases)
    it(`${letters}: ${plural ?? 'no kind'}`, () => assert.equal(kindOfLetters(kinds, letters)?.plural, plural));
});
