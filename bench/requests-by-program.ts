import { createReadStream, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Naming } from '#base/naming/naming.ts';

/** The counted members of an audit event. */
interface Line {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Counts the requests of a server by program, verb and resource. */
export class RequestsByProgram {
  readonly #log: string;
  readonly #policy: string;

  constructor(folder: string, naming: Naming) {
    this.#log = path.join(folder, 'audit.log');
    this.#policy = path.join(folder, 'audit-policy.yaml');
    writeFileSync(
      this.#policy,
      `apiVersion: ${naming.group('audit')}/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\nrules: [{level: Metadata}]\n`,
    );
  }

  /** The flags of the server for counting its requests. */
  get flags(): readonly string[] {
    return [`--audit-log-path=${this.#log}`, `--audit-policy-file=${this.#policy}`];
  }

  /** The counts until now: `manager update deployments/status`. */
  async counts(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for await (const text of createInterface({ input: createReadStream(this.#log) })) {
      const { verb, userAgent = '', objectRef } = JSON.parse(text) as Line;
      const { resource = '', subresource } = objectRef ?? {};
      const what = `${userAgent.split(' ')[0]} ${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
    return counts;
  }
}
