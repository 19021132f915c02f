import type { CacheLog } from '../resource-entries.ts';

/** The stored form of a small object under a relative key. */
export function pod(key: string, n: number): string {
  const [name, namespace] = key.split('/').reverse();
  return JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace, uid: `uid-${key}`, labels: { app: name } },
    spec: { n },
  });
}

export const quietLog: CacheLog = { info: () => {}, warn: () => {}, error: () => {} };
