import type { RE2JS } from 're2js';
import type { CheckWork } from './check-work.ts';

/** The conditions of a pattern about a position in a text, as bits. */
const LOOK = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, word: 16, noWord: 32 } as const;

/** The instructions of the machine, with the numbers of re2js. */
const OP = {
  alternative: 1,
  alternativeMatch: 2,
  capture: 3,
  look: 4,
  match: 6,
  nothing: 7,
  rune: 8,
  lastRune: 11,
} as const;

/** The kinds of characters before a position that matter to a pattern. */
const BEFORE = { text: 0, line: 1, word: 2, other: 3 } as const;
type Before = (typeof BEFORE)[keyof typeof BEFORE];

const END = -1;
const ASCII = 128;
/** The numbers of a state in addition to those of its parts. */
const STATE_SIZE = 32;
/** The steps for making a state in addition to those for its parts. */
const STATE_WORK = 20;
const PART_WORK = 3;
/** The number of characters between two charges. */
const PIECE = 2_000;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** A state of the machine after some text. It is made when a text first needs it. */
interface State {
  /** The parts of the pattern that can match next. */
  readonly parts: readonly number[];
  readonly before: Before;
  /** The next states after ASCII characters. */
  ascii: (State | undefined)[] | undefined;
  other: Map<number, State> | undefined;
}

/** The end of a successful search. No further text changes it. */
const FOUND: State = { parts: [], before: BEFORE.other, ascii: undefined, other: undefined };

/** How many numbers the states of several searches keep together, and the limit. */
export interface SearchMemory {
  held: number;
  readonly most: number;
}

/**
 * Searches texts for a pattern, one piece of text at a time. It is an automaton whose states are sets of positions in
 * the pattern. A state is made when a text first reaches it. Work is charged when it is done: at most the number of
 * pattern parts for each character. The matchers of re2js can only search a whole text at once.
 */
export class PatternSearch {
  readonly #program: readonly Instruction[];
  readonly #first: number;
  readonly #asksWords: boolean;
  readonly #asksLines: boolean;
  readonly #memory: SearchMemory;
  readonly #seen: Uint32Array;
  readonly #taken: Uint32Array;
  #mark = 0;
  #states = new Map<string, State>();
  #held = 0;

  constructor(pattern: RE2JS, memory: SearchMemory) {
    const { inst, start } = pattern.re2().prog as { inst: readonly Instruction[]; start: number };
    this.#program = inst;
    this.#first = start;
    let asks = 0;
    for (const { op, arg } of inst) if (op === OP.look) asks |= arg;
    this.#asksWords = (asks & (LOOK.word | LOOK.noWord)) !== 0;
    this.#asksLines = (asks & (LOOK.beginLine | LOOK.endLine)) !== 0;
    this.#memory = memory;
    this.#seen = new Uint32Array(inst.length);
    this.#taken = new Uint32Array(inst.length);
  }

  /** Whether a text contains the pattern. Pauses when other work should run. */
  *isIn(text: string, work: CheckWork): Generator<void, boolean, void> {
    let state = this.#state([], BEFORE.text);
    let at = 0;
    while (at < text.length) {
      const from = at;
      const end = Math.min(at + PIECE, text.length);
      while (at < end) {
        const known = state.ascii?.[text.charCodeAt(at)];
        if (known === undefined) break;
        state = known;
        at++;
      }
      work.charge(at - from + 1);
      if (at < end && state !== FOUND) {
        const rune = text.codePointAt(at)!;
        state = state.other?.get(rune) ?? this.#step(state, rune, work);
        at += rune > 0xffff ? 2 : 1;
      }
      if (state === FOUND) return true;
      if (work.isDue) {
        yield;
        work.resumed();
      }
    }
    return this.#step(state, END, work) === FOUND;
  }

  /** Drops all states and frees their memory. */
  forget(): void {
    this.#memory.held -= this.#held;
    this.#held = 0;
    this.#states = new Map();
  }

  #state(parts: readonly number[], before: Before): State {
    const key = `${before}:${parts.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { parts, before, ascii: undefined, other: undefined };
      this.#hold(STATE_SIZE + 2 * parts.length);
      this.#states.set(key, state);
    }
    return state;
  }

  #hold(size: number): void {
    if (this.#memory.held + size > this.#memory.most) this.forget();
    this.#held += size;
    this.#memory.held += size;
  }

  #step(state: State, rune: number, work: CheckWork): State {
    const next = this.#next(state, rune, work);
    if (rune === END) return next;
    if (rune < ASCII) {
      if (state.ascii === undefined) {
        state.ascii = new Array<State | undefined>(ASCII).fill(undefined);
        this.#hold(ASCII);
      }
      state.ascii[rune] = next;
    } else {
      this.#hold(2);
      (state.other ??= new Map()).set(rune, next);
    }
    return next;
  }

  /** The next state after a character, or after the end of the text. */
  #next(state: State, rune: number, work: CheckWork): State {
    const program = this.#program;
    const seen = this.#seen;
    const looks = looksAt(state.before, rune);
    const mark = ++this.#mark;
    const next: number[] = [];
    const stack = [this.#first, ...state.parts];
    let looked = 0;
    while (stack.length > 0) {
      const part = stack.pop()!;
      if (part === 0 || seen[part] === mark) continue;
      seen[part] = mark;
      looked++;
      const instruction = program[part]!;
      const { op, out } = instruction;
      if (op === OP.match) {
        work.charge(STATE_WORK + looked * PART_WORK);
        return FOUND;
      }
      if (op === OP.alternative || op === OP.alternativeMatch) stack.push(out, instruction.arg);
      else if (op === OP.nothing || op === OP.capture) stack.push(out);
      else if (op === OP.look) {
        if ((instruction.arg & ~looks) === 0) stack.push(out);
      } else if (op >= OP.rune && op <= OP.lastRune && rune !== END && this.#taken[out] !== mark) {
        if (!instruction.matchRune(rune)) continue;
        this.#taken[out] = mark;
        next.push(out);
      }
    }
    work.charge(STATE_WORK + (looked + next.length) * PART_WORK);
    return this.#state(next.sort(byNumber), this.#before(rune));
  }

  #before(rune: number): Before {
    if (this.#asksLines && rune === 10) return BEFORE.line;
    return this.#asksWords && isWord(rune) ? BEFORE.word : BEFORE.other;
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}

/** The conditions that hold between the previous character and the next one, or the end. */
function looksAt(before: Before, rune: number): number {
  let looks = (before === BEFORE.word) === isWord(rune) ? LOOK.noWord : LOOK.word;
  if (before === BEFORE.text) looks |= LOOK.beginText | LOOK.beginLine;
  if (before === BEFORE.line) looks |= LOOK.beginLine;
  if (rune === END) looks |= LOOK.endText | LOOK.endLine;
  if (rune === 10) looks |= LOOK.endLine;
  return looks;
}

function isWord(rune: number): boolean {
  return (rune >= 97 && rune <= 122) || (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95;
}
