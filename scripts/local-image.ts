import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The content of an image made of this machine's programs. */
export interface LocalImage {
  readonly name: string;
  /** Executables: their paths in the image and here. Their shared libraries are included. */
  readonly programs: Readonly<Record<string, string>>;
  /** Instructions as in a Dockerfile: `ENTRYPOINT ["/usr/local/bin/etcd"]`. */
  readonly instructions: readonly string[];
}

/** Makes a container image without a registry, and returns its name. `host` is the Docker daemon. */
export function makeLocalImage(host: string, { name, programs, instructions }: LocalImage): string {
  const root = mkdtempSync(path.join(tmpdir(), 'image-'));
  try {
    const temporary = path.join(root, 'tmp');
    mkdirSync(temporary);
    // for all users of the image
    chmodSync(temporary, 0o1777);
    for (const [target, source] of Object.entries(programs)) {
      const program = realpathSync(source);
      copy(program, path.join(root, target));
      for (const library of linkedLibraries(program)) copy(library, path.join(root, library));
    }
    return replaceImage(host, name, () => importTree(host, root, name, instructions));
  } finally {
    rmSync(root, { recursive: true });
  }
}

/**
 * Makes an image with a name, and removes the earlier image with this name: otherwise old images would pile up. Returns
 * the name.
 */
export function replaceImage(host: string | undefined, name: string, make: () => void): string {
  const daemon = host === undefined ? [] : ['-H', host];
  const id = () => spawnSync('docker', [...daemon, 'image', 'inspect', '--format={{.Id}}', name], { encoding: 'utf8' });
  const before = id();
  make();
  // Docker keeps an image that a container still uses.
  if (before.status === 0 && before.stdout !== id().stdout)
    spawnSync('docker', [...daemon, 'image', 'rm', before.stdout.trim()], { stdio: 'ignore' });
  return name;
}

function importTree(host: string, root: string, name: string, instructions: readonly string[]): void {
  const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1 << 30 });
  const changes = instructions.flatMap((instruction) => ['--change', instruction]);
  execFileSync('docker', ['-H', host, 'import', ...changes, '-', name], {
    input: tar,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

function copy(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(realpathSync(from), to);
}

/** Paths of the shared libraries and the loader; none for a static executable. */
function linkedLibraries(file: string): readonly string[] {
  const { stdout, status } = spawnSync('ldd', [file], { encoding: 'utf8' });
  return status === 0 ? [...stdout.matchAll(/(\/\S+)(?= \(0x)/g)].map(([library]) => library) : [];
}
