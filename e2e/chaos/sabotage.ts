import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../../scripts/bundle.ts';

/** A change of the server that breaks it on purpose. */
export interface Sabotage {
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Deliberate mistakes, each of which breaks a promise that the checker watches over. */
export const sabotages = {
  /** "Most recent" is whatever this replica has: etcd is not asked. */
  staleReads: {
    file: 'server/cache/freshness.ts',
    from: 'if (this.#probing === undefined) return this.#probe();',
    to: 'return Promise.resolve(this.#frontier.revision);',
  },
  /** A watch goes on with what is new, not with what comes after the version that it names. */
  skippedEvent: {
    file: 'server/registry/watch.ts',
    from: 'cache.subscribe(version, interest',
    to: 'cache.subscribe(Math.max(version, registry.cache.frontier), interest',
  },
  /** Whoever has led once acts for ever. */
  endlessLeadership: {
    file: 'client/leader/leadership.ts',
    from: 'if (!this.signal.aborted) this.#controller.abort(new FencedError(why));',
    to: 'void why; void FencedError;',
  },
  /** An object is stored whatever has become of the definition that it was checked against. */
  olderSchema: {
    file: 'server/registry/create.ts',
    from: '...(stored.condition?.conditions ?? []),',
    to: '',
  },
} as const satisfies Record<string, Sabotage>;

const root = path.resolve(import.meta.dirname, '../..');

/**
 * A server built from a copy of the sources with a mistake in it.
 * @returns its `dist/`, and what removes it
 * @throws Error when the code is not as the mistake expects it; then the mistake has to follow the code
 */
export async function sabotagedBuild({ file, from, to }: Sabotage): Promise<{ readonly dist: string; remove(): void }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'sabotage-'));
  for (const sources of ['server', 'client', 'controllers', 'cli', 'storage', 'storage-etcd'])
    cpSync(path.join(root, sources), path.join(directory, sources), { recursive: true });
  for (const beside of ['node_modules', 'proto', 'package.json'])
    symlinkSync(path.join(root, beside), path.join(directory, beside));
  const target = path.join(directory, file);
  const text = readFileSync(target, 'utf8');
  const found = text.split(from).length - 1;
  if (found !== 1) throw new Error(`${file} holds what is to be broken ${found} times, not once:\n${from}`);
  writeFileSync(
    target,
    text.replace(from, () => to),
  );
  await bundle(directory);
  return { dist: path.join(directory, 'dist'), remove: () => rmSync(directory, { recursive: true }) };
}
