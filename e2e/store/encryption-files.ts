import { testNaming } from '#server/testing/replica.ts';

const KEYS = [1, 2, 3].map((n) => Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5 + n)).toString('base64'));
export const IDENTITY = '  - identity: {}\n';

export function configuration(resources: string, ...providers: string[]): string {
  const apiVersion = testNaming.apiVersion('apiserver.config', 'v1');
  return `apiVersion: ${apiVersion}\nkind: EncryptionConfiguration\nresources:\n- resources: ${resources}\n  providers:\n${providers.join('')}`;
}

/** A provider with keys of these numbers. The first key has number 1. */
export function keyed(kind: string, ...numbers: number[]): string {
  const keys = numbers.map((n) => `      - {name: key${n}, secret: ${KEYS[n - 1]}}\n`);
  return `  - ${kind}:\n      keys:\n${keys.join('')}`;
}
