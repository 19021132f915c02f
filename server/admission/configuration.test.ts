import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAdmissionConfiguration } from './configuration.ts';
import { naming } from './testing/try-plugin.ts';

const HEAD = `apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}\nkind: AdmissionConfiguration\n`;

describe('the admission configuration file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'admission-'));
  const file = path.join(folder, 'admission.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readAdmissionConfiguration(file, naming, new Set(['A', 'B', 'PodSecurity', 'ResourceQuota']));
  };

  it('accepts inline configurations and configurations in other files', () => {
    writeFileSync(path.join(folder, 'b.yaml'), 'kind: Settings\napiVersion: x/v1\n');
    const found = read(`${HEAD}plugins:\n- name: A\n  configuration: {a: 1}\n- name: B\n  path: b.yaml\n`);
    assert.deepEqual(found.get('A')?.value, { a: 1 });
    assert.deepEqual(found.get('B')?.value, { kind: 'Settings', apiVersion: 'x/v1' });
    assert.equal(found.get('B')?.file, path.join(folder, 'b.yaml'));
  });

  it('prefers an inline configuration to a path', () => {
    const found = read(`${HEAD}plugins:\n- name: A\n  path: none.yaml\n  configuration: {a: 1}\n`);
    assert.deepEqual(found.get('A')?.value, { a: 1 });
  });

  it('accepts the configuration of a single plug-in without AdmissionConfiguration, as older setups use it', () => {
    const selectors = { podNodeSelectorPluginConfig: { ns: 'a=b' } };
    assert.deepEqual(read(JSON.stringify(selectors)).get('PodNodeSelector')?.value, selectors);
    assert.deepEqual([...read('imagePolicy: {allowTTL: 1, kubeConfigFile: a}').keys()], ['ImagePolicyWebhook']);
  });

  const quota = `{apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}, kind: ResourceQuotaConfiguration, limited`;
  const refusals: readonly [string, string, RegExp][] = [
    ['another kind', 'kind: Other\napiVersion: v1\n', /yaml:1:7: kind must be "AdmissionConfiguration"$/],
    ['text that is neither YAML nor JSON', '{', /neither YAML nor JSON/],
    ['unknown plug-ins', `${HEAD}plugins: [{name: C}]`, /:3:18: plugins\[0\]\.name is "C", which is no plug-in$/],
    ['a duplicate plug-in', `${HEAD}plugins: [{name: A}, {name: A}]`, /:3:29: plugins\[1\]\.name names A twice$/],
    ['entries without name', `${HEAD}plugins: [{}]`, /:3:11: plugins\[0\]\.name is missing$/],
    ['missing files', `${HEAD}plugins: [{name: A, path: none.yaml}]`, /cannot read .*none.yaml/],
    [
      'a misspelt configuration',
      `${HEAD}plugins:\n- name: PodSecurity\n  confguration: {}\n`,
      /:5:3: plugins\[0\]\.confguration is not known: did you mean configuration\?$/,
    ],
    [
      'a misspelt field of a plug-in',
      `${HEAD}plugins:\n- name: ResourceQuota\n  configuration: ${quota}Resources: [{resource: pods, matchContain: [a]}]}\n`,
      /:5:\d+: plugins\[0\]\.configuration\.limitedResources\[0\]\.matchContain is not known: did you mean matchContains\?$/,
    ],
    [
      'scopes that are not a list',
      `${HEAD}plugins:\n- name: ResourceQuota\n  configuration: ${quota}Resources: [{resource: pods, matchScopes: a}]}\n`,
      /:5:\d+: plugins\[0\]\.configuration\.limitedResources\[0\]\.matchScopes must be a list$/,
    ],
  ];
  for (const [what, text, message] of refusals) {
    it(`refuses ${what}`, () => assert.throws(() => read(text), { name: 'ConfigError', message }));
  }

  it('reports all problems in all files', () => {
    writeFileSync(path.join(folder, 'quota.yaml'), 'kind: Quota\n');
    const plugins = '- {name: A, conf: 1}\n- {name: C}\n- {name: PodSecurity, configuration: {}}\n';
    assert.throws(
      () => read(`${HEAD}plugins:\n${plugins}- {name: ResourceQuota, path: quota.yaml}\nplugin: 1\n`),
      (error: Error) => {
        const places = error.message.split('\n').map((line) => /^\S*\/(\S+):/.exec(line)?.[1]);
        assert.deepEqual(places, [
          'admission.yaml:4:13',
          'admission.yaml:5:10',
          'admission.yaml:6:38',
          'admission.yaml:8:1',
          'quota.yaml:1:7',
        ]);
        return true;
      },
    );
  });
});
