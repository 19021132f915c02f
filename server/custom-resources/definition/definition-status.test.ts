import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { latestRelease, releaseOf } from '#base/release/release.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { statusOf } from './definition-status.ts';

const context = { naming: createNaming('orch'), release: latestRelease, now: '2020-01-01T00:00:00Z' };

function definition(plural: string, kind: string, more: object = {}, group = 'example.com'): CustomResourceDefinition {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...more };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: [] },
  } as unknown as CustomResourceDefinition;
}

/** Definitions with their status, each computed after those before it. */
function settled(...definitions: CustomResourceDefinition[]): CustomResourceDefinition[] {
  for (const each of definitions) each.status = statusOf(each, definitions, context);
  return definitions;
}

const conditions = ({ status }: CustomResourceDefinition) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));

describe('the status of a definition', () => {
  it('accepts names that are not in use', () => {
    const [widgets] = settled(definition('widgets', 'Widget', { shortNames: ['wd'], categories: ['all'] }));
    assert.deepEqual(conditions(widgets!), {
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    assert.deepEqual(widgets!.status?.acceptedNames, {
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
      kind: 'Widget',
      listKind: 'WidgetList',
      categories: ['all'],
    });
  });

  it('does not accept names that another definition uses', () => {
    const [, gadgets, things, others] = settled(
      definition('widgets', 'Widget'),
      definition('gadgets', 'Gadget', { shortNames: ['widgets'] }),
      definition('things', 'WidgetList', { listKind: 'Widget', singular: 'thing' }),
      definition('widgets', 'Widget', {}, 'other.example.com'),
    );
    assert.deepEqual(conditions(gadgets!), {
      NamesAccepted: 'False ShortNamesConflict',
      Established: 'False NotAccepted',
    });
    assert.deepEqual(gadgets!.status?.acceptedNames, {
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Gadget',
      listKind: 'GadgetList',
    });
    assert.deepEqual(conditions(things!), {
      NamesAccepted: 'False ListKindConflict',
      Established: 'False NotAccepted',
    });
    assert.deepEqual(things!.status?.acceptedNames, { plural: 'things', singular: 'thing', kind: '' });
    assert.deepEqual(conditions(others!).Established, 'True InitialNamesAccepted', 'groups have names of their own');
  });

  it('stays Established if its new names are in use', () => {
    const [widgets, gadgets] = settled(definition('widgets', 'Widget'), definition('gadgets', 'Gadget'));
    gadgets!.spec.names.shortNames = ['widget'];
    settled(widgets!, gadgets!);
    assert.deepEqual(conditions(gadgets!), {
      NamesAccepted: 'False ShortNamesConflict',
      Established: 'True InitialNamesAccepted',
    });
  });

  it('does not change if nothing has changed, at any time', () => {
    const all = settled(
      definition('widgets', 'Widget', { shortNames: ['w'] }),
      definition('gadgets', 'Gadget', { shortNames: ['w'] }),
    );
    for (const each of all) assert.equal(statusOf(each, all, { ...context, now: '2021-01-01T00:00:00Z' }), each.status);
  });

  const good = Buffer.from(makeAuthority('a').pem).toString('base64');
  const bundles: [bundle: string | undefined, release: '1.30' | '1.31', established: string][] = [
    [undefined, '1.31', 'True InitialNamesAccepted'],
    [good, '1.31', 'True InitialNamesAccepted'],
    ['Cg==', '1.31', 'False InvalidCABundle'],
    ['Cg==', '1.30', 'True InitialNamesAccepted'],
  ];
  for (const [caBundle, release, established] of bundles)
    it(`says ${established} of a conversion's bundle ${caBundle?.slice(0, 8)} in ${release}`, () => {
      const one = definition('widgets', 'Widget');
      const webhook = { clientConfig: { url: 'https://x', ...(caBundle && { caBundle }) } };
      one.spec.conversion = { strategy: 'Webhook', webhook } as never;
      one.status = statusOf(one, [one], { ...context, release: releaseOf(release) });
      assert.equal(conditions(one)['Established'], established);
      const later = { ...context, now: '2021-01-01T00:00:00Z', release: releaseOf(release) };
      assert.equal(statusOf(one, [one], later), one.status, 'it settles');
      one.spec.conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://x', caBundle: good } },
      } as never;
      one.status = statusOf(one, [one], later);
      assert.equal(conditions(one)['Established'], 'True InitialNamesAccepted', 'once its bundle is there');
    });

  it('reports whether a protected group is approved', () => {
    const approved = (value?: string) => {
      const one = definition('widgets', 'Widget', {}, 'x.orch.io');
      if (value !== undefined) one.metadata.annotations = { 'api-approved.orch.io': value };
      return conditions(settled(one)[0]!)[context.naming.approvalCondition];
    };
    assert.equal(approved('https://example.com/1'), 'True ApprovedAnnotation');
    assert.equal(approved('unapproved, try'), 'False UnapprovedAnnotation');
    assert.equal(approved('nonsense'), 'False InvalidAnnotation');
    assert.equal(approved(), 'False MissingAnnotation');
  });

  it('uses the condition name of its naming, and replaces the name of another naming', () => {
    const one = settled(definition('widgets', 'Widget', {}, 'x.orch.io'))[0]!;
    const types = (of: CustomResourceDefinition) => of.status?.conditions?.map(({ type }) => type).sort();
    const wanted = ['Established', 'NamesAccepted', 'OrchAPIApprovalPolicyConformant'];
    assert.deepEqual(types(one), wanted);
    const conditions = one.status!.conditions!;
    const approval = conditions.find(({ type }) => type === 'OrchAPIApprovalPolicyConformant')!;
    const written = { ...approval, type: 'KubernetesAPIApprovalPolicyConformant' };
    const holding = (held: typeof conditions) => ({ ...one, status: { ...one.status!, conditions: held } });
    const old = holding(conditions.map((each) => (each === approval ? written : each)));
    assert.deepEqual(types({ ...old, status: statusOf(old, [old], context) }), wanted);
    const both = holding([...conditions, written]);
    assert.equal(statusOf(both, [both], context), both.status, 'a replica of an earlier build has added its own again');
  });
});
