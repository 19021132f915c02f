import assert from 'node:assert/strict';
import path from 'node:path';
import { apiPages } from '../api-docs.ts';

/** Kinds that people do not write by hand, so there is no example. */
const WITHOUT_EXAMPLE = [
  'bindings',
  'clustercidrs.networking',
  'clustertrustbundles.certificates',
  'componentstatuses',
  'podcertificaterequests.certificates',
  'storageversions.internal.apiserver',
];

describe('reference pages of kinds', () => {
  let pages: Map<string, string>;
  before(async () => (pages = await apiPages(path.resolve(import.meta.dirname, '../..'))));

  it('describe every kind, its fields and columns, with an example', () => {
    const page = pages.get('deployments.apps.md')!;
    for (const part of [
      '# Deployment\n',
      '`apiVersion: apps/v1`, `kind: Deployment`; resource `deployments`, `deploy`; in a namespace.',
      '- `replicas` (int32): The desired number of pods.',
      '## DeploymentSpec\n',
      '- Up-to-date: How many pods are of the newest template.',
      '  name: web\n',
    ])
      assert.ok(page.includes(part), part);
  });

  it('explain which manager owns the items of lists', () => {
    const service = pages.get('services.md')!;
    assert.match(service, /`ports` .*Each item has its own owners\. An item is known by its port and protocol\./);
    assert.match(service, /`externalIPs` .*The whole list has one owner\./);
  });

  it('have an example, except for kinds that users do not write', () => {
    const without = [...pages].flatMap(([name, text]) =>
      text.includes('## Example') || name === 'README.md' || name === 'shared-types.md' ? [] : [name.slice(0, -3)],
    );
    assert.deepEqual(without.sort(), WITHOUT_EXAMPLE);
  });

  it('link to anchors that exist', () => {
    const anchors = new Set(
      [...pages].flatMap(([name, text]) =>
        [...text.matchAll(/^#+ (.+)$/gm)].map(
          ([, title = '']) => `${name}#${title.toLowerCase().replaceAll(' ', '-')}`,
        ),
      ),
    );
    const broken = [...pages].flatMap(([name, text]) =>
      [...text.matchAll(/\]\(([^)]*)\)/g)].flatMap(([, to = '']) => {
        const [page = '', anchor] = to.split('#');
        const target = page === '' ? name : page;
        return (anchor === undefined ? pages.has(target) : anchors.has(`${target}#${anchor}`))
          ? []
          : [`${name}: ${to}`];
      }),
    );
    assert.deepEqual(broken, []);
  });
});
