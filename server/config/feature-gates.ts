import { ConfigError } from '#base/errors/config-error.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { gateHistories } from './feature-gate-table.ts';
import { type GateStage, type GateState, gateIn } from './gate-history.ts';

/** The feature gates of a running server. */
export interface FeatureGates {
  /**
   * Whether a gate is on. A gate that the release does not know yet is off. A removed gate keeps its last value.
   *
   * @throws Error for a name that no release knows, which is a programming error
   */
  enabled(name: string): boolean;
}

/**
 * Refuses a flag whose feature gate is off, like earlier releases.
 * @throws ConfigError
 */
export function needGate(gates: FeatureGates, gate: string, flag: string): void {
  if (gates.enabled(gate)) return;
  throw new ConfigError(
    `flag --${flag} needs the feature gate ${gate}, which is off: choose a later --emulated-version`,
  );
}

/** The gates after the start, with their data for metrics and logs. */
export interface FeatureGateSet extends FeatureGates {
  /** All gates of the release in order of their names. */
  readonly all: readonly { readonly name: string; readonly stage: GateStage; readonly enabled: boolean }[];
  readonly warnings: readonly string[];
}

/** Gates that switch all gates of a stage, except those that are set themselves. */
const GROUPS: ReadonlyMap<string, GateState> = new Map([
  ['AllAlpha', { stage: 'ALPHA', enabled: false, locked: false }],
  ['AllBeta', { stage: 'BETA', enabled: false, locked: false }],
]);

const GROUP_OF: Readonly<Partial<Record<GateStage, string>>> = { ALPHA: 'AllAlpha', BETA: 'AllBeta' };

/**
 * Applies `--feature-gates` to the gates of a release. The setting of a single gate takes precedence over `AllAlpha`
 * and `AllBeta`.
 * @throws ConfigError if a gate is unknown, or if a locked gate is set to another value
 */
export function createFeatureGates(
  settings: ReadonlyMap<string, boolean> = new Map(),
  release: Release = defaultRelease,
): FeatureGateSet {
  const known = new Map<string, GateState>(GROUPS);
  for (const [name, history] of Object.entries(gateHistories)) known.set(name, gateIn(history, release));
  const states = new Map<string, boolean>();
  for (const [name, { stage, enabled, locked }] of known) {
    const group = stage && GROUP_OF[stage];
    const ofGroup = group === undefined || GROUPS.has(name) ? undefined : settings.get(group);
    states.set(name, locked || stage === undefined ? enabled : (settings.get(name) ?? ofGroup ?? enabled));
  }
  return {
    enabled: (name) => {
      const state = states.get(name);
      if (state === undefined) throw new Error(`feature gate ${name} is not in the table`);
      return state;
    },
    all: [...known]
      .flatMap(([name, { stage }]) => (stage === undefined ? [] : [{ name, stage, enabled: states.get(name)! }]))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    warnings: checkSettings(settings, known),
  };
}

/** Warnings about settings for the operator. @throws ConfigError */
function checkSettings(settings: ReadonlyMap<string, boolean>, known: ReadonlyMap<string, GateState>): string[] {
  const warnings: string[] = [];
  for (const [name, value] of settings) {
    const { stage, enabled, locked } = known.get(name) ?? {};
    if (stage === undefined) throw new ConfigError(`unrecognized feature gate in --feature-gates: ${name}`);
    if (locked && value !== enabled)
      throw new ConfigError(
        `cannot set feature gate ${name} to ${value} in --feature-gates, feature is locked to ${enabled}: remove it`,
      );
    const effect = locked ? ' has no effect' : '';
    if (stage === 'GA' || stage === 'DEPRECATED')
      warnings.push(
        `Setting ${stage === 'GA' ? stage : 'deprecated'} feature gate ${name}=${value}${effect}. It will be removed in a future release.`,
      );
  }
  return warnings;
}
