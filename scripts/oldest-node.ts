import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The oldest Node.js that the built programs run on. */
export const OLDEST_NODE = 20;

/** An executable of the oldest Node.js on the PATH; undefined if there is none. */
export function findOldestNode(): string | undefined {
  const version = (node: string) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout;
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'node'))
    .find((node) => existsSync(node) && version(node).startsWith(`v${OLDEST_NODE}.`));
}

/**
 * Exports of Node.js modules that the oldest supported Node.js lacks. It lacks `sqlite` as a whole.
 */
const NEWER_EXPORTS: Readonly<Record<string, readonly string[]>> = {
  assert: ['Assert', 'partialDeepStrictEqual'],
  crypto: ['argon2', 'argon2Sync', 'decapsulate', 'encapsulate', 'randomUUIDv7'],
  dns: ['resolveTlsa'],
  'dns/promises': ['resolveTlsa'],
  fs: ['Utf8Stream', 'glob', 'globSync', 'mkdtempDisposableSync'],
  'fs/promises': ['glob', 'mkdtempDisposable'],
  http: ['CloseEvent', 'MessageEvent', 'WebSocket', 'setGlobalProxyFromEnv'],
  module: [
    'constants',
    'enableCompileCache',
    'findPackageJSON',
    'flushCompileCache',
    'getCompileCacheDir',
    'getSourceMapsSupport',
    'registerHooks',
    'setSourceMapsSupport',
    'stripTypeScriptTypes',
  ],
  net: ['BoundSocket'],
  perf_hooks: ['eventLoopUtilization', 'timerify'],
  process: ['execve', 'finalization', 'ref', 'threadCpuUsage', 'unref'],
  'stream/consumers': ['bytes'],
  tls: ['getCACertificates', 'getCertificateCompressionAlgorithms', 'setDefaultCACertificates'],
  url: ['URLPattern', 'fileURLToPathBuffer'],
  util: ['convertProcessSignalToExitCode', 'diff', 'getCallSites', 'getSystemErrorMessage', 'setTraceSigInt'],
  v8: ['getCppHeapStatistics', 'isStringOneByteRepresentation', 'startCpuProfile'],
  worker_threads: ['isInternalThread', 'isMarkedAsUntransferable', 'locks', 'markAsUncloneable', 'threadName'],
  zlib: [
    'ZstdCompress',
    'ZstdDecompress',
    'createZstdCompress',
    'createZstdDecompress',
    'zstdCompress',
    'zstdCompressSync',
    'zstdDecompress',
    'zstdDecompressSync',
  ],
};

/** Newer globals that the types of Node.js let pass; `lib` of tsconfig.json keeps back those of the language. */
const NEWER_GLOBALS =
  /(?<![\w.$'"`-])(?:new (?:CloseEvent|DisposableStack|AsyncDisposableStack|Float16Array|SuppressedError|URLPattern|WebSocket)\b|navigator\.\w+|process\.(?:execve|finalization|ref|threadCpuUsage|unref)\b)/g;

/** `import a, { b, c as d } from 'node:e'`, also as a bundler writes it. */
const IMPORT =
  /\bimport\s+(type\s+)?(?:(\w+)\s*,?\s*|\*\s*as\s+(\w+)\s*)?(?:\{([^}]*)\}\s*)?from\s*["'](?:node:)?([\w/]+)["']/g;

/**
 * Names in a source that the oldest supported Node.js does not have, such as `fs.globSync`. A call with `?.` is
 * allowed.
 */
export function newerThanOldest(source: string): string[] {
  const found = [...source.matchAll(NEWER_GLOBALS)].map(([name]) => name);
  for (const [, type, single, all, list = '', module = ''] of source.matchAll(IMPORT)) {
    if (type !== undefined) continue;
    if (module === 'sqlite') found.push(module);
    const newer = Object.hasOwn(NEWER_EXPORTS, module) ? NEWER_EXPORTS[module]! : [];
    const named = list.split(',').map((one) => one.trim().split(/\s+as\s+/)[0]!);
    found.push(...newer.filter((name) => named.includes(name)).map((name) => `${module}.${name}`));
    const whole = single ?? all;
    if (whole === undefined || newer.length === 0) continue;
    const used = new RegExp(`(?<![\\w.$])${whole}\\.(${newer.join('|')})\\b(?!\\?\\.)`, 'g');
    found.push(...[...source.matchAll(used)].map(([, name]) => `${module}.${name}`));
  }
  return [...new Set(found)].sort();
}
