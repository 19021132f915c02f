import { ConfigError } from '#base/errors/config-error.ts';
import { gateTable } from './feature-gate-table.ts';

/** The feature gates of a running server. */
export interface FeatureGates {
  /**
   * Whether a gate is on.
   *
   * @throws on a name that is not known: a programming error.
   */
  enabled(name: string): boolean;
}

export type GateStage = 'ALPHA' | 'BETA' | 'GA';

/** The gates as set at start, with what metrics and logs tell about them. */
export interface FeatureGateSet extends FeatureGates {
  /** All gates in order of their names. */
  readonly all: readonly { readonly name: string; readonly stage: GateStage; readonly enabled: boolean }[];
  readonly warnings: readonly string[];
}

/**
 * Applies `--feature-gates` to the gates of this release. A gate's own setting beats `AllAlpha` and `AllBeta`.
 * @throws ConfigError for an unknown gate, and for switching off one that is GA and so no longer does anything
 */
export function createFeatureGates(settings: ReadonlyMap<string, boolean> = new Map()): FeatureGateSet {
  const known = new Map<string, readonly [stage: GateStage, enabled: boolean]>();
  const add = (names: readonly string[], stage: GateStage, enabled: boolean) => {
    for (const name of names) known.set(name, [stage, settings.get(name) ?? enabled]);
  };
  add(gateTable.alphaOff, 'ALPHA', settings.get('AllAlpha') ?? false);
  add(gateTable.betaOn, 'BETA', settings.get('AllBeta') ?? true);
  add(gateTable.betaOff, 'BETA', settings.get('AllBeta') ?? false);
  add(gateTable.ga, 'GA', true);
  add(['AllAlpha'], 'ALPHA', false);
  add(['AllBeta'], 'BETA', false);

  const warnings: string[] = [];
  for (const [name, value] of settings) {
    const stage = known.get(name)?.[0];
    if (stage === undefined) throw new ConfigError(`unrecognized feature gate in --feature-gates: ${name}`);
    if (stage !== 'GA') continue;
    if (!value)
      throw new ConfigError(
        `cannot set feature gate ${name} to false in --feature-gates, feature is locked to true: remove it`,
      );
    warnings.push(`Setting GA feature gate ${name}=true has no effect. It will be removed in a future release.`);
  }
  return {
    enabled: (name) => {
      const gate = known.get(name);
      if (gate === undefined) throw new Error(`feature gate ${name} is not in the table`);
      return gate[1];
    },
    all: [...known]
      .map(([name, [stage, enabled]]) => ({ name, stage, enabled }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    warnings,
  };
}
