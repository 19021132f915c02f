import type { Release } from '#base/release/release.ts';

/** The stability of a gate's feature, in the words of the field. */
export type GateStage = 'ALPHA' | 'BETA' | 'GA' | 'DEPRECATED';

/** A gate in one release. */
export interface GateState {
  /** The stage. Undefined if the release does not know the gate: it does not have the feature yet, or always has it. */
  readonly stage: GateStage | undefined;
  /** Whether it is on by default. */
  readonly enabled: boolean;
  /** Whether it cannot be switched. */
  readonly locked: boolean;
}

const STAGES: ReadonlyMap<string, Omit<GateState, 'stage'> & { readonly stage: GateStage }> = new Map([
  ['alpha', { stage: 'ALPHA', enabled: false, locked: false }],
  ['beta', { stage: 'BETA', enabled: true, locked: false }],
  ['ga', { stage: 'GA', enabled: true, locked: true }],
  ['deprecated', { stage: 'DEPRECATED', enabled: false, locked: false }],
]);

const NOT_YET: GateState = { stage: undefined, enabled: false, locked: true };

/**
 * A gate in a release.
 * @param history the history of the gate, see feature-gate-table.ts
 * @throws Error if the history is malformed, which is a programming error
 */
export function gateIn(history: string, release: Release): GateState {
  let state = NOT_YET;
  for (const step of history.split(', ')) {
    const [from, stage = '', ...details] = step.split(' ');
    if (!release.atLeast(minorOfStep(from, history))) break;
    state = stage === 'gone' ? { ...state, stage: undefined, locked: true } : stateOf(stage, details, history);
  }
  return state;
}

function minorOfStep(text: string | undefined, history: string): number {
  const minor = Number(text);
  if (!Number.isInteger(minor)) throw new Error(`${history} is no history of a gate`);
  return minor;
}

function stateOf(stage: string, details: readonly string[], history: string): GateState {
  let state: GateState | undefined = STAGES.get(stage);
  for (const detail of details) {
    if (state === undefined) break;
    if (detail === 'on' || detail === 'off') state = { ...state, enabled: detail === 'on' };
    else if (detail === 'locked' || detail === 'unlocked') state = { ...state, locked: detail === 'locked' };
    else state = undefined;
  }
  if (state === undefined) throw new Error(`${history} is no history of a gate`);
  return state;
}
