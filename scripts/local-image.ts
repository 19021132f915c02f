import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What goes into an image that is made of this machine's programs. */
export interface LocalImage {
  readonly name: string;
  /** Executables: where they are in the image, and here. The libraries that they are linked with come along. */
  readonly programs: Readonly<Record<string, string>>;
  /** Other files by their place in the image, with their text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Instructions as in a Dockerfile: `ENTRYPOINT ["/usr/local/bin/etcd"]`. */
  readonly instructions: readonly string[];
}

/** Makes a container image without a registry, and returns its name. `host` is the Docker daemon. */
export function makeLocalImage(host: string, { name, programs, files = {}, instructions }: LocalImage): string {
  const root = mkdtempSync(path.join(tmpdir(), 'image-'));
  try {
    mkdirSync(path.join(root, 'tmp'));
    for (const [target, source] of Object.entries(programs)) {
      const program = realpathSync(source);
      copy(program, path.join(root, target));
      for (const library of linkedLibraries(program)) copy(library, path.join(root, library));
    }
    for (const [target, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, target)), { recursive: true });
      writeFileSync(path.join(root, target), text);
    }
    const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1 << 30 });
    const changes = instructions.flatMap((instruction) => ['--change', instruction]);
    execFileSync('docker', ['-H', host, 'import', ...changes, '-', name], {
      input: tar,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    return name;
  } finally {
    rmSync(root, { recursive: true });
  }
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
