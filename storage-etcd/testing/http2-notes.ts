import { encodeFields } from '../http2/header-block.ts';

/** The header fields of a request, encoded as one header block. */
export const request = encodeFields([':method', 'POST', ':scheme', 'http', ':path', '/', ':authority', 'localhost']);

/** Records the calls that a stream and its connection make to their handlers, in the order of the calls. */
export class Notes {
  readonly told: string[] = [];
  body = '';
  readonly over: Promise<void>;
  #end = (): void => {};

  constructor() {
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  readonly handler = {
    head: (fields: Readonly<Record<string, string>>, ended: boolean) =>
      this.told.push(`head ${fields[':status']}${ended ? ', ended' : ''}`),
    data: (bytes: Buffer) => {
      this.body += bytes.toString();
    },
    trailers: (fields: Readonly<Record<string, string>>) => this.told.push(`trailers ${fields['grpc-status']}`),
    closed: ({ code, untouched }: { code: number; untouched: boolean }) => {
      this.told.push(`closed ${code}${untouched ? ', untouched' : ''}`);
      this.#end();
    },
  };

  readonly events = {
    settings: () => {},
    freed: () => {},
    exhausted: () => this.told.push('exhausted'),
    goingAway: (code: number, last: number) => this.told.push(`going away ${code} after ${last}`),
    ended: (reason: string | undefined) => this.told.push(`ended${reason === undefined ? '' : `: ${reason}`}`),
  };
}
