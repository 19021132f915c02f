import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The result of one recorded scenario. */
export interface ScenarioResult {
  /** The name `naming/area/scenario`. */
  readonly scenario: string;
  readonly area: string;
  readonly passed: boolean;
  /** The number of steps whose answers differ from the recording only in the wording of messages. */
  readonly wording: number;
  /** The first difference, as a text for people. */
  readonly difference: string;
}

interface Report {
  readonly results: readonly {
    readonly id: string;
    readonly area: string;
    readonly wording: number;
    readonly problems: readonly {
      readonly step: number;
      readonly do: string;
      readonly diffs: readonly { readonly at: string; readonly want?: unknown; readonly have?: unknown }[];
    }[];
  }[];
}

/** Reads all reports in `directory/<naming>/`. */
export function readReports(directory: string): ScenarioResult[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: naming }) =>
      readdirSync(path.join(directory, naming))
        .filter((file) => file.endsWith('.json'))
        .flatMap((file) => readReport(path.join(directory, naming, file), naming)),
    );
}

/** Reads the report of one file of recordings. */
export function readReport(file: string, naming: string): ScenarioResult[] {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return report.results.map(({ id, area, wording, problems }) => {
    const [problem] = problems;
    const diff = problem?.diffs[0];
    return {
      scenario: `${naming}/${area}/${id}`,
      area,
      passed: problem === undefined,
      wording,
      difference:
        problem === undefined
          ? ''
          : `step ${problem.step}: ${problem.do}: ${diff?.at ?? ''} wanted ${short(diff?.want)}, got ${short(diff?.have)}`,
    };
  });
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
