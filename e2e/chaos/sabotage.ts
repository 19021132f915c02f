import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A change of the built server that breaks it on purpose. */
export interface Sabotage {
  /** Below `dist/`. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Deliberate mistakes, each of which breaks a promise that the checker watches over. */
export const sabotages = {
  /** "Most recent" is whatever this replica has: etcd is not asked. */
  staleReads: {
    file: 'server/cache/freshness.js',
    from: 'if (this.#probing === undefined)\n            return this.#probe();',
    to: 'return Promise.resolve(this.#frontier.revision);',
  },
  /** A watch goes on with what is new, not with what comes after the version that it names. */
  skippedEvent: {
    file: 'server/registry/watch.js',
    from: 'cache.subscribe(version, {',
    to: 'cache.subscribe(Math.max(version, registry.cache.frontier), {',
  },
} as const satisfies Record<string, Sabotage>;

const root = path.resolve(import.meta.dirname, '../..');

/**
 * A copy of the built server with a mistake in it.
 * @returns its folder, and what removes it
 * @throws Error when the code is not as the mistake expects it; then the mistake has to follow the code
 */
export function sabotagedBuild({ file, from, to }: Sabotage): { readonly dist: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'sabotage-'));
  const dist = path.join(directory, 'dist');
  cpSync(path.join(root, 'dist'), dist, { recursive: true });
  for (const beside of ['node_modules', 'proto', 'package.json'])
    symlinkSync(path.join(root, beside), path.join(directory, beside));
  const target = path.join(dist, file);
  const text = readFileSync(target, 'utf8');
  const found = text.split(from).length - 1;
  if (found !== 1) throw new Error(`dist/${file} holds what is to be broken ${found} times, not once:\n${from}`);
  writeFileSync(
    target,
    text.replace(from, () => to),
  );
  return { dist, remove: () => rmSync(directory, { recursive: true }) };
}
