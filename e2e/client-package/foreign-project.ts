import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findOldestNode } from '#scripts/oldest-node.ts';
import { stageClient } from '#scripts/pack-client.ts';

const root = path.resolve(import.meta.dirname, '../..');
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');

/**
 * The versions of Node.js to test, by name. They are the oldest supported version, if it is installed, and the version
 * of this process.
 */
export const NODES: ReadonlyMap<string, string> = new Map(
  [findOldestNode() ?? [], process.execPath].flat().map((node) => [versionOf(node), node]),
);

function versionOf(node: string): string {
  return `Node.js ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1).split('.')[0]}`;
}

/** The result of a program. */
export interface Ran {
  readonly status: number | null;
  /** Both outputs, in the order of their arrival. */
  readonly output: string;
}

/** Runs a program to its end, while this process continues its other work. */
function run(folder: string, command: string, args: readonly string[], input = ''): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
      });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
    child.stdin.end(input);
  });
}

async function succeed(folder: string, command: string, args: readonly string[]): Promise<string> {
  const { status, output } = await run(folder, command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${output}`);
  return output;
}

/**
 * A project outside of this one. It contains only this project's packages, in the form that a registry would deliver.
 * It does not download anything, because the dependencies of the client are packed from the packages that are installed
 * here.
 */
export class ForeignProject {
  readonly folder: string;
  /** The path of the packed client. */
  readonly tarball: string;

  private constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /**
   * @param more packs further packages of this repository into the project
   * @throws Error with npm's output if npm cannot pack or install a package
   */
  static async create(...more: readonly ((root: string, folder: string) => Promise<void>)[]): Promise<ForeignProject> {
    const folder = mkdtempSync(path.join(tmpdir(), 'foreign-project-'));
    const packed = path.join(folder, 'packed');
    const staged: string[] = [];
    for (const stage of [stageClient, ...more]) {
      const at = path.join(folder, `staged-${staged.length}`);
      await stage(root, at);
      staged.push(at);
    }
    mkdirSync(packed);
    const needed = staged.flatMap((at) => {
      const description = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')) as {
        readonly dependencies: Readonly<Record<string, string>>;
      };
      return Object.keys(description.dependencies);
    });
    const foreign = [...new Set(needed)].filter((name) => !name.startsWith('@orch/'));
    const installed = foreign.map((name) => path.join(root, 'node_modules', name));
    const settings = ['--offline', '--ignore-scripts', '--silent', '--cache', path.join(folder, 'cache')];
    const output = await succeed(packed, 'npm', ['pack', ...settings, ...staged, ...installed]);
    const tarballs = output.trim().split('\n');
    const project = new ForeignProject(path.join(folder, 'project'), path.join(packed, tarballs[0]!));
    project.write('package.json', '{ "name": "foreign", "private": true, "type": "module" }');
    const files = tarballs.map((name) => path.join(packed, name));
    await succeed(project.folder, 'npm', ['install', ...settings, '--no-audit', '--no-fund', ...files]);
    // A project in TypeScript needs the declarations of Node.js.
    symlinkSync(path.join(root, 'node_modules/@types'), path.join(project.folder, 'node_modules/@types'));
    symlinkSync(path.join(root, 'node_modules/undici-types'), path.join(project.folder, 'node_modules/undici-types'));
    return project;
  }

  /** Writes a file of the project. */
  write(name: string, text: string): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Copies a file or a folder of this repository into the project. */
  copy(from: string, to: string): void {
    cpSync(path.join(root, from), path.join(this.folder, to), { recursive: true });
  }

  /** Compiles sources into `built/`, and also checks declarations of packages. Resolves to the compiler's output. */
  compile(...sources: readonly string[]): Promise<Ran> {
    const options = {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      rewriteRelativeImportExtensions: true,
      types: ['node'],
      rootDir: '.',
      outDir: 'built',
    };
    this.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: sources }));
    return this.run(process.execPath, [compiler, '-p', '.', '--checkers', '1']);
  }

  /** Runs a program of the project to its end. */
  run(command: string, args: readonly string[], input?: string): Promise<Ran> {
    return run(this.folder, command, args, input);
  }

  remove(): void {
    rmSync(path.dirname(this.folder), { recursive: true, force: true });
  }
}
