import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, releases } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import type { KindRules } from '../api/resource-definition.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { kindRules } from '../kinds/index.ts';
import { checkHandlers, checkRules, RegistrationError, type SpecialHandlers } from './registration.ts';

const naming = createNaming('orch');
const schema = loadSchema(naming);
const PODS = 'core/pods';
const NODES = 'core/nodes';

describe('checkRules', () => {
  const serviceRanges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [1, 2], reserveStatic: false });
  const all = kindRules({ ...servicesOf(serviceRanges), eventTtlSeconds: 1 });
  const check = (rules: ReadonlyMap<string, KindRules>) =>
    checkRules(schema, rules, { naming, release: defaultRelease, now: 0 });
  /** All rules, with changed rules of one kind, or with these under another name. */
  const changed = (id: string, change: Partial<KindRules>, as = id) =>
    new Map([...all].map(([key, rules]) => (key === id ? [as, { ...rules, ...change }] : [key, rules])));

  it('accepts the rules of all kinds', () => check(all));

  for (const release of releases)
    it(`accepts the rules of all kinds in ${release.name}`, () => {
      const rules = kindRules({ ...servicesOf(serviceRanges), release, eventTtlSeconds: 1 });
      checkRules(loadSchema(naming, release), rules, { naming, release, now: 0 });
    });

  const nothing = () => '';
  const wrong: [about: string, rules: ReadonlyMap<string, KindRules>, problems: RegExp[]][] = [
    [
      'a misspelt plural',
      changed('apps/deployments', {}, 'apps/deploymnets'),
      [/rules for apps\/deploymnets, which is not stored: is it apps\/deployments\?/, /no rules for apps\/deployments/],
    ],
    ['an unknown version', changed(PODS, { versions: { v2: {} } }), [/core\/pods: rules for version v2.*is it v1\?/]],
    [
      'an unknown subresource',
      changed(PODS, { subresources: { stauts: {} } }),
      [/core\/pods: rules for subresource stauts, which it does not have: is it status\?/],
    ],
    [
      'reset fields of an unknown view',
      changed(PODS, { viewResets: { odd: undefined as never } }),
      [/core\/pods: reset fields of/],
    ],
    [
      'an unknown field label',
      changed(PODS, { selectableFields: { 'spec.nodename': nothing } }),
      [/a value for field label spec\.nodename, which it does not have: is it spec\.nodeName\?/],
    ],
    [
      'fewer cells than columns',
      changed(NODES, { cells: () => ['a'] }),
      [/core\/nodes: the table of v1 has 10 columns \(Name, Status, .*\), but 1 cells/],
    ],
    [
      'columns without cells',
      new Map([...all].map(([key, { cells: _, ...rules }]) => (key === PODS ? [key, rules] : [key, all.get(key)!]))),
      [/core\/pods: the table of v1 has a column "Ready", but there are no cells/],
    ],
  ];
  for (const [about, rules, problems] of wrong) {
    it(`refuses ${about}`, () => {
      assert.throws(
        () => check(rules),
        (error: Error) => {
          assert.ok(error instanceof RegistrationError);
          for (const problem of problems) assert.match(error.message, problem);
          return true;
        },
      );
    });
  }
});

describe('checkHandlers', () => {
  const answer: ResourceHandler = () => Promise.reject(new Error('not asked'));
  /** The required handlers. They are found by reading each error about a missing one. */
  const needed = (): string[] => {
    try {
      checkHandlers(schema, new Map());
    } catch (error) {
      return [...(error as Error).message.matchAll(/no handler for (\S+),/g)].map(([, key]) => key!);
    }
    return [];
  };
  const all = (...more: string[]): SpecialHandlers => new Map([...needed(), ...more].map((key) => [key, answer]));

  it('accepts one handler for each resource that needs one', () => {
    checkHandlers(schema, all());
    checkHandlers(schema, all('view of Scale', 'core/pods/status'));
  });

  it('requires handlers for all resources that are not views of a stored object', () => {
    for (const key of [
      'core/pods/eviction',
      'core/bindings',
      'apps/deployments/scale',
      'authentication/tokenreviews',
    ]) {
      assert.ok(needed().includes(key), key);
    }
    for (const key of ['core/pods/status', 'core/pods']) assert.ok(!needed().includes(key), key);
    const without = new Map([...all('view of Scale')].filter(([key]) => !key.endsWith('/scale')));
    checkHandlers(schema, without);
  });

  it('refuses handlers of unknown resources', () => {
    assert.throws(
      () => checkHandlers(schema, all('core/pods/evicton')),
      /a handler for core\/pods\/evicton.*is it core\/pods\/eviction\?/,
    );
    assert.throws(() => checkHandlers(schema, all('view of Odd')), /a handler for view of Odd/);
  });
});
