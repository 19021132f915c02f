export const GROUP = '/apis/stable.example.com';
export const PATH = `${GROUP}/v1/namespaces/default/crates`;
export const KEY = '/registry/stable.example.com/crates/default';

export const crate = (name: string, spec: object = {}, version = 'v1') => ({
  apiVersion: `stable.example.com/${version}`,
  kind: 'Crate',
  metadata: { name },
  spec,
});
