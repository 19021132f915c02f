import { type BuildContext, type BuildOptions, context, type Metafile } from 'esbuild';
import type { Builder } from './bundle.ts';

/** Bundles again and again, and reads only those files again that have changed. */
export class IncrementalBuilder {
  readonly #contexts = new Map<string, { readonly options: string; readonly context: BuildContext }>();
  readonly #metafiles = new Map<string, Metafile>();

  /** Takes the place of `build` of esbuild. */
  readonly build: Builder = async (options) => {
    const target = options.outfile ?? options.outdir ?? '';
    const context = await this.#contextOf(target, options);
    const result = await context.rebuild();
    if (result.metafile !== undefined) this.#metafiles.set(target, result.metafile);
    return result;
  };

  /** The sources that a built file is made of, chunks included. Paths are from the root of the project. */
  sourcesOf(built: string): ReadonlySet<string> {
    const sources = new Set<string>();
    for (const { outputs } of this.#metafiles.values()) addSources(outputs, built, sources, new Set());
    return sources;
  }

  /** Ends what esbuild keeps. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#contexts.values()].map(({ context }) => context.dispose()));
    this.#contexts.clear();
  }

  async #contextOf(target: string, options: BuildOptions): Promise<BuildContext> {
    const known = this.#contexts.get(target);
    const text = JSON.stringify(options);
    if (known?.options === text) return known.context;
    await known?.context.dispose();
    const made = await context({ ...options, metafile: true });
    this.#contexts.set(target, { options: text, context: made });
    return made;
  }
}

function addSources(outputs: Metafile['outputs'], built: string, sources: Set<string>, seen: Set<string>): void {
  const output = outputs[built];
  if (output === undefined || seen.has(built)) return;
  seen.add(built);
  for (const source of Object.keys(output.inputs)) sources.add(source);
  for (const { path } of output.imports) addSources(outputs, path, sources, seen);
}
