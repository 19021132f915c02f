import type { RE2JS } from 're2js';
import { patternSize } from '../../expressions/texts/pattern-size.ts';
import { compilePattern } from '../../expressions/texts/patterns.ts';
import { type Checks, type CheckWork, OverWorkError } from './check-work.ts';
import { PatternSearch, type SearchMemory } from './pattern-search.ts';

/** The steps for each part of a pattern when its automaton is built. */
const MAKE_WORK = 300;
/** The largest number of steps of the matchers of re2js for each part of a pattern and each character. */
const MATCH_WORK = 6;
/**
 * The work that the matchers of re2js may do for one pattern in one object. They start faster than a search, but a
 * search is faster for long texts.
 */
const FEW = 20_000;
/** How many numbers all searches for one object may keep together. It is a few megabytes. */
const MEMORY = 200_000;

/** One pattern, with its use for one object. */
interface Pattern {
  readonly size: number;
  readonly compiled: RE2JS;
  /** The sum of parts times characters so far. */
  done: number;
  search: PatternSearch | undefined;
  lastText: string | undefined;
  lastHeld: boolean;
}

/** Matches the patterns of a schema with the texts of one object. The work is charged. */
export class PatternChecks {
  readonly #work: CheckWork;
  readonly #patterns = new Map<string, Pattern>();
  readonly #memory: SearchMemory = { held: 0, most: MEMORY };

  constructor(work: CheckWork) {
    this.#work = work;
  }

  /** Whether {@link holdsNow} can be used. */
  isQuick(source: string, text: string): boolean {
    const pattern = this.#pattern(source);
    return pattern.done + partsBy(pattern, text) <= FEW;
  }

  /** Like {@link holds}, for a text for which {@link isQuick} is true. */
  holdsNow(source: string, text: string): boolean {
    const pattern = this.#pattern(source);
    const parts = partsBy(pattern, text);
    pattern.done += parts;
    this.#work.charge(parts * MATCH_WORK);
    return pattern.compiled.matcher(text).find();
  }

  /**
   * Whether a pattern matches somewhere in a text. Alternatives ask this about a text again and again, so the last
   * answer of each pattern is kept.
   * @throws OverWorkError
   */
  *holds(source: string, text: string): Checks<boolean> {
    const pattern = this.#pattern(source);
    // If two texts are the same value in the engine, their characters are not compared.
    if (pattern.lastText !== undefined && pattern.lastText.length === text.length) {
      this.#work.charge(1 + text.length / 32);
      if (pattern.lastText === text) return pattern.lastHeld;
    }
    const held = this.isQuick(source, text) ? this.holdsNow(source, text) : yield* this.#search(pattern, text);
    pattern.lastText = text;
    pattern.lastHeld = held;
    return held;
  }

  #search(pattern: Pattern, text: string): Checks<boolean> {
    pattern.search ??= new PatternSearch(pattern.compiled, this.#memory);
    return pattern.search.isIn(text, this.#work);
  }

  #pattern(source: string): Pattern {
    return this.#patterns.get(source) ?? this.#make(source);
  }

  #make(source: string): Pattern {
    const size = patternSize(source);
    this.#work.charge(size * MAKE_WORK);
    const compiled = made(source);
    const pattern = { size, compiled, done: 0, search: undefined, lastText: undefined, lastHeld: false };
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

function partsBy({ size }: Pattern, text: string): number {
  return (text.length + 1) * size;
}

/**
 * The error about a pattern that is too long. An earlier release may have accepted it. It counts like a pattern that
 * takes too much work.
 */
function made(source: string): RE2JS {
  try {
    return compilePattern(source);
  } catch {
    throw new OverWorkError();
  }
}
