import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { getHeapCodeStatistics } from 'node:v8';
import { Script } from 'node:vm';
import { makeFolder } from '#program/files/make-folder.ts';

/** The storage of the engine's compiled code between calls, and the calls that use it. */
export interface CodeCache<Exports> {
  /** A folder that belongs to this user only. It is created if it does not exist. */
  readonly folder: string;
  /** A value that differs for each build of the program. */
  readonly build: string;
  /**
   * The name of this call. Calls with the same name run much the same code. The name comes from outside and is not
   * trusted.
   */
  readonly name: string;
  /**
   * Returns whether code is stored for a name. Such a name must be usable as a file name. Called at the end of a call.
   */
  readonly keeps: (program: Exports, name: string) => boolean;
}

/**
 * The bytes before the code. They are two numbers of 8 bytes. The first is the amount of code that existed at the time
 * of the write, and the second is the length of the code.
 */
const HEAD_BYTES = 16;
/** The number of newly compiled bytes since the last write after which the code is written again. */
const WORTHWHILE_BYTES = 32 << 10;
/** The number of builds whose code is stored. */
const BUILDS = 3;

/**
 * Runs a program file. The bundler writes it in ASCII as one function of `exports`, `require`, `module`, `__filename`
 * and `__dirname`. Calls with the same cache name share the engine's compiled code, so a later call compiles nothing
 * and reads only the code that it needs. The cache is optional. If it is not readable, writable or trusted, everything
 * is compiled.
 *
 * @example loadCompiled<typeof Program>(file, { folder, build, name: 'get', keeps: () => true }).start()
 */
export function loadCompiled<Exports>(file: string, cache: CodeCache<Exports>): Exports {
  const place = path.join(cache.folder, `${cache.build}-${process.versions.v8}`, cache.name);
  const kept = /^[a-z_-]+$/i.test(cache.name) ? readKept(place) : undefined;
  // The file is ASCII. This way to read it keeps a long text out of the heap.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(kept === undefined ? {} : { cachedData: kept.code }),
  });
  const module: { exports: unknown } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  const enough = kept === undefined || script.cachedDataRejected === true ? 0 : kept.compiled + WORTHWHILE_BYTES;
  process.once('exit', () => {
    const compiled = getHeapCodeStatistics().bytecode_and_metadata_size;
    if (compiled < enough) return;
    try {
      if (cache.keeps(module.exports as Exports, cache.name)) write(place, compiled, script.createCachedData());
    } catch {
      // If the home folder is not writable, the next call compiles everything again.
    }
  });
  return module.exports as Exports;
}

interface Kept {
  /** The number of bytes of compiled code that existed when the file was written. */
  readonly compiled: number;
  readonly code: Buffer;
}

/** The code in a file. The program runs it, so the file must be complete, and no other user may have write access. */
function readKept(place: string): Kept | undefined {
  let file: number | undefined;
  try {
    file = openSync(place, 'r');
    if (!isOwn(fstatSync(file))) return undefined;
    const bytes = readFileSync(file);
    const code = bytes.subarray(HEAD_BYTES);
    if (bytes.length < HEAD_BYTES || bytes.readDoubleLE(8) !== code.length) return undefined;
    return { compiled: bytes.readDoubleLE(0), code };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function write(place: string, compiled: number, code: Buffer): void {
  const folder = path.dirname(place);
  makeFolder(folder, 0o700);
  // If one user acts as another and keeps the first user's home, the folder belongs to another user.
  if (!isOwn(statSync(folder))) return;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleLE(compiled, 0);
  head.writeDoubleLE(code.length, 8);
  const own = `${place}.${process.pid}`;
  writeFileSync(own, Buffer.concat([head, code]), { mode: 0o600 });
  renameSync(own, place);
  forgetBuilds(path.dirname(folder));
}

/**
 * Whether a file or folder belongs to this user and no other user may write it. On systems without users, this is
 * always true.
 */
function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

/** Removes the code of all builds except the newest. */
function forgetBuilds(folder: string): void {
  const builds = readdirSync(folder).map((name) => path.join(folder, name));
  if (builds.length <= BUILDS) return;
  const made = new Map(builds.map((build) => [build, statSync(build).mtimeMs]));
  builds.sort((a, b) => made.get(b)! - made.get(a)!);
  for (const build of builds.slice(BUILDS)) rmSync(build, { recursive: true, force: true });
}
