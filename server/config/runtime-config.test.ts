import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { readFlagValue } from '#program/flags/flag-values.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { knownApis } from './known-apis.ts';
import { parseRuntimeConfig, type RuntimeConfig } from './runtime-config.ts';

const naming = createNaming('orch');
const networking = naming.apiVersion('networking', 'v1alpha1');

function config(text: string): RuntimeConfig {
  return parseRuntimeConfig(readFlagValue('settings', [text]) as ReadonlyMap<string, string>, naming);
}

describe('parseRuntimeConfig', () => {
  it('enables levels, versions and resources, and the most specific setting wins', () => {
    const cases: [text: string, resource: string, byDefault: boolean, enabled: boolean][] = [
      ['', 'apps/v1/deployments', true, true],
      ['', 'storage/v1alpha1/csinodes', false, false],
      ['api/all=true', 'networking/v1alpha1/clustercidrs', false, true],
      ['api/all', 'networking/v1alpha1/clustercidrs', false, true],
      ['api/beta=false', 'storage/v1beta1/csistoragecapacities', true, false],
      ['api/beta=false', 'apps/v1/deployments', true, true],
      ['api/all=false,api/ga=true', 'apps/v1/deployments', true, true],
      ['api/all=false,api/ga=true', 'storage/v1beta1/csistoragecapacities', true, false],
      [`api/alpha=true,${networking}=false`, 'networking/v1alpha1/clustercidrs', false, false],
      [networking, 'networking/v1alpha1/clustercidrs', false, true],
      ['apps/v1=false', 'apps/v1/deployments', true, false],
      ['apps/v1=false,apps/v1/deployments', 'apps/v1/deployments', true, true],
      ['apps/v1/deployments=false', 'apps/v1/daemonsets', true, true],
      ['v1=false', '/v1/pods', true, false],
      ['api/v1=false', '/v1/pods', true, false],
    ];
    for (const [text, resource, byDefault, enabled] of cases) {
      const [group = '', version = '', plural = ''] = resource.split('/');
      assert.equal(config(text).enabled(group, version, plural, byDefault), enabled, `${text} ${resource}`);
    }
  });

  it('refuses invalid settings', () => {
    for (const text of ['apps=false', 'a/b/c/d', 'apps/v1=yes', 'api/all=false', '/v1', 'api/other'])
      assert.throws(
        () => config(text).check((group, version) => group === '' && version === 'v1'),
        { name: 'ConfigError' },
        text,
      );
  });

  it('reports settings of unknown APIs', () => {
    const known = knownApis(loadSchema(naming));
    const cases: [text: string, problem: RegExp | undefined][] = [
      ['api/all,apps/v1=false,apps/v1/deployments', undefined],
      ['v1=false', undefined],
      [`${networking}`, undefined],
      // Earlier releases served these versions, or only backends serve them.
      ['batch/v1beta1=false,batch/v1beta1/cronjobs=false,extensions/v1beta1=false', undefined],
      [naming.apiVersion('imagepolicy', 'v1alpha1'), undefined],
      ['other/v1', /names other\/v1, but there is no such group/],
      ['constructor/v1', /no such group/],
      ['networking/v1', /no such group/],
      ['apps/v2', /no such version/],
      ['api/v2', /no such version/],
      ['apps/v1/pods', /no such resource/],
    ];
    for (const [text, problem] of cases) {
      const check = () => config(text).check(known);
      if (problem === undefined) assert.doesNotThrow(check, text);
      else assert.throws(check, { name: 'ConfigError', message: problem }, text);
    }
  });
});
