import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configurationOf, readAdmissionConfiguration } from './configuration.ts';
import { naming } from './testing/try-plugin.ts';

const HEAD = `apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}\nkind: AdmissionConfiguration\n`;

describe('the admission configuration file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'admission-'));
  const file = path.join(folder, 'admission.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readAdmissionConfiguration(file, naming, new Set(['A', 'B']));
  };

  it('takes configurations inline and from other files', () => {
    writeFileSync(path.join(folder, 'b.yaml'), 'kind: Settings\napiVersion: x/v1\n');
    const found = read(`${HEAD}plugins:\n- name: A\n  configuration: {a: 1}\n- name: B\n  path: b.yaml\n`);
    assert.deepEqual(found.get('A')?.value, { a: 1 });
    assert.deepEqual(configurationOf(found.get('B'), [['Settings', 'x/v1']]), { kind: 'Settings', apiVersion: 'x/v1' });
    assert.throws(() => configurationOf(found.get('A'), [['Settings', 'x/v1']]), /takes a Settings in x\/v1/);
  });

  it('prefers what is inline', () => {
    const found = read(`${HEAD}plugins:\n- name: A\n  path: none.yaml\n  configuration: {a: 1}\n`);
    assert.deepEqual(found.get('A')?.value, { a: 1 });
  });

  it('takes the settings of plug-ins themselves, as older setups have them', () => {
    const selectors = { podNodeSelectorPluginConfig: { ns: 'a=b' } };
    assert.deepEqual(read(JSON.stringify(selectors)).get('PodNodeSelector')?.value, selectors);
    assert.deepEqual([...read('imagePolicy: {allowTTL: 1}').keys()], ['ImagePolicyWebhook']);
  });

  const refusals: readonly [string, string, RegExp][] = [
    ['another kind', 'kind: Other\napiVersion: v1\n', /must be of kind AdmissionConfiguration/],
    ['nonsense', '{', /neither YAML nor JSON/],
    ['unknown plug-ins', `${HEAD}plugins: [{name: C}]`, /names "C", which is not known/],
    ['a plug-in twice', `${HEAD}plugins: [{name: A}, {name: A}]`, /names A twice/],
    ['entries without name', `${HEAD}plugins: [{}]`, /has no name/],
    ['missing files', `${HEAD}plugins: [{name: A, path: none.yaml}]`, /cannot read .*none.yaml/],
  ];
  for (const [what, text, message] of refusals) {
    it(`refuses ${what}`, () => assert.throws(() => read(text), message));
  }
});
