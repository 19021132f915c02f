import assert from 'node:assert/strict';
import { latestRelease } from '#base/release/release.ts';
import { atOnce } from '#base/time/steps.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { definitionErrors } from './definition-kind.ts';
import { context, definition, fields, tester, version } from './testing/definition-tester.ts';
import type { DefinitionContext } from './validate-definition.ts';

describe('a CustomResourceDefinition', () => {
  it('has default names, a conversion strategy and a stored version', () => {
    const { spec, status } = tester.created(definition());
    assert.deepEqual(spec.names, { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' });
    assert.deepEqual(spec.conversion, { strategy: 'None' });
    assert.deepEqual(status, { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    assert.deepEqual(tester.errors(definition()), []);
  });

  const refused: [what: string, body: object, ...fields: string[]][] = [
    ['a name that does not match its plural and group', definition({}, { name: 'x.example.com' }), 'metadata.name'],
    ['a group without a dot', definition({ group: 'nodots' }, { name: 'widgets.nodots' }), 'spec.group'],
    ['an unknown scope', definition({ scope: 'Global' }), 'spec.scope'],
    ['no versions', definition({ versions: [] }), 'spec.versions', 'status.storedVersions'],
    [
      'two stored versions',
      definition({ versions: [version(), version({ name: 'v2' })] }),
      'spec.versions',
      'status.storedVersions',
    ],
    ['a duplicate version', definition({ versions: [version(), version({ storage: false })] }), 'spec.versions'],
    [
      'an invalid version name',
      definition({ versions: [version({ name: 'V1' })] }),
      'spec.versions[0].name',
      'spec.version',
    ],
    [
      'no schema',
      definition({ versions: [version({ schema: undefined })] }),
      'spec.versions[0].schema.openAPIV3Schema',
    ],
    [
      'the same name for kind and list kind',
      definition({ names: { plural: 'widgets', kind: 'W', listKind: 'W' } }),
      'spec.names.listKind',
    ],
    [
      'a deprecation warning for a version that is not deprecated',
      definition({ versions: [version({ deprecationWarning: 'x' })] }),
      'spec.versions[0].deprecationWarning',
    ],
    [
      'scale paths outside of spec and status',
      definition({
        versions: [version({ subresources: { scale: { specReplicasPath: '.status.a', statusReplicasPath: 'b' } } })],
      }),
      'spec.subresources.scale.specReplicasPath',
      'spec.subresources.scale.statusReplicasPath',
    ],
    [
      'a column without a type',
      definition({ versions: [version({ additionalPrinterColumns: [{ name: 'A', jsonPath: '.a' }] })] }),
      'spec.additionalPrinterColumns[0].type',
    ],
    [
      'a conversion webhook without a client config',
      definition({ conversion: { strategy: 'Webhook' } }),
      'spec.conversion.webhookClientConfig',
      'spec.conversion.conversionReviewVersions',
    ],
    [
      'a protected group without an approval annotation',
      definition({ group: 'x.orch.io' }, { name: 'widgets.x.orch.io' }),
      'metadata.annotations[api-approved.orch.io]',
    ],
    [
      'a webhook service without a name',
      definition({
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { service: { namespace: 'a' } }, conversionReviewVersions: ['v1'] },
        },
      }),
      'spec.conversion.webhookClientConfig.service.namespace',
    ],
    [
      'an empty deprecation warning for a version that is not deprecated',
      definition({ versions: [version({ deprecationWarning: '' })] }),
      'spec.versions[0].deprecationWarning',
    ],
    ['preserveUnknownFields', definition({ preserveUnknownFields: true }), 'spec.preserveUnknownFields'],
  ];
  for (const [what, body, ...where] of refused) {
    it(`is refused with ${what}`, () => assert.deepEqual(fields(tester.errors(body)), where));
  }

  describe('with a conversion by a webhook', () => {
    const good = Buffer.from(makeAuthority('a').pem).toString('base64');
    const at = 'spec.conversion.webhookClientConfig.caBundle';
    const converted = (caBundle: string) => {
      const webhook = { clientConfig: { url: 'https://x', caBundle }, conversionReviewVersions: ['v1'] };
      return definition({ conversion: { strategy: 'Webhook', webhook } });
    };
    const latest = { ...context, release: latestRelease };
    const changes: [from: string, to: string, established: boolean, release: DefinitionContext, where: string[]][] = [
      [good, 'bm8=', true, latest, [at]],
      ['', 'bm8=', true, latest, [at]],
      ['bm8=', 'bm8=', true, latest, []],
      ['bm8=', 'Cg==', true, latest, []],
      ['bm8=', good, true, latest, []],
      [good, 'bm8=', false, latest, []],
      [good, 'bm8=', true, context, []],
    ];
    for (const [from, to, established, checked, where] of changes)
      it(`${where.length > 0 ? 'refuses' : 'takes'} the bundle ${to.slice(0, 4)} after "${from.slice(0, 4)}" in ${
        checked.release.name
      } if it is ${established ? 'served' : 'not served yet'}`, () => {
        const old = tester.created(converted(from)) as CustomResourceDefinition;
        const status = established ? 'True' : 'False';
        old.status!.conditions = [{ type: 'Established', status, reason: '', message: '' }];
        const next = { ...(tester.created(converted(to)) as CustomResourceDefinition), status: old.status! };
        const errors = atOnce(definitionErrors(next, old, checked)).map(({ text }) => text);
        assert.deepEqual(fields(errors), where);
      });

    it('may start with a placeholder for its bundle', () => {
      for (const bundle of ['', 'Cg==', 'bm8=', good]) assert.deepEqual(tester.errors(converted(bundle)), []);
    });
  });

  it('loses an empty webhook if its conversion strategy is None', () => {
    const conversion = { strategy: 'None', webhook: {} };
    assert.deepEqual(tester.created(definition({ conversion })).spec.conversion, { strategy: 'None' });
  });

  it('accepts any finalizers', () => {
    assert.deepEqual(tester.errors(definition({}, { finalizers: ['x', 'example.com/y'] })), []);
  });

  it('names the version in an error if the schemas of versions differ', () => {
    const bad = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'foo' } } } };
    const versions = [version({ schema: bad }), version({ name: 'v2', storage: false })];
    assert.deepEqual(fields(tester.errors(definition({ versions }))), [
      'spec.versions[0].schema.openAPIV3Schema.properties[a].type',
    ]);
  });

  it('cannot change its group, nor lose a version that may be stored', () => {
    const established = {
      status: {
        conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }],
        acceptedNames: { plural: '', kind: '' },
        storedVersions: ['v1'],
      },
    };
    const change = (spec: object) => fields(tester.updateErrors(definition(), definition(spec)));
    assert.deepEqual(change({}), []);
    assert.deepEqual(change({ group: 'other.example.com' }), ['spec.group']);
    assert.deepEqual(change({ scope: 'Cluster' }), [], 'as long as nothing is served');
    assert.ok(established);
    const versions = [version({ name: 'v2' })];
    assert.deepEqual(change({ versions }), ['status.storedVersions[0]'], 'objects may be stored in the old version');
  });
});
