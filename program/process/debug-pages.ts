import { type ProfileKind, ProfilerBusy, profileKinds, profileSeconds, waitedFor } from './profiles.ts';

/** A client's request to a page of this process below `/debug`. */
export interface DebugRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** How many seconds the answer may still take. */
  readonly secondsLeft: number;
  /** The signal aborts when the client has disconnected, or when the process ends. */
  signal(): AbortSignal;
  readBody(): Promise<Buffer>;
}

/** The answer. It has no body if there is nothing to show. */
export interface DebugPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | AsyncIterable<Buffer>;
}

const PROFILES = '/debug/pprof/';
const FLAGS = '/debug/flags';
const VERBOSITY = `${FLAGS}/v`;

/** The settings of this process that can be changed at run time. */
const FLAG_INDEX = `<html>
<head>
<title>${FLAGS}/</title>
</head>
<body>
${FLAGS}/<br>
<br>
flags:<br>
<table>

<tr>v<br>

</table>
<br>
full flags configurable<br>
</body>
</html>
`;

/** A profile ends this many seconds before the time limit of its request, so that the answer can be sent. */
const TO_ANSWER = 2;

/** The longest text of a verbosity, which is a number of a few digits. */
const LONGEST = 32;

/** The largest level. Levels are numbers of 32 bits. */
const MOST = 2 ** 31 - 1;

function html(body: string): DebugPage {
  return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function plain(status: number, body: string): DebugPage {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return { status, headers, body };
}

function index(): DebugPage {
  const rows = [
    ...profileKinds.map(({ name, about }) => [name, about]),
    ['goroutine', 'what this process waits for, by type'],
  ].map(([name, about]) => `<tr><td><a href="${name}">${name}</a></td><td>${about}</td></tr>`);
  return html(`<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/<br>
<br>
Types of profiles available:
<table>
${rows.join('\n')}
</table>
</body>
</html>
`);
}

/** Redirects browsers to the index. A method that does not read gets no page with the redirect. */
function moved(method: string): DebugPage {
  const to = { Location: PROFILES };
  if (method !== 'GET' && method !== 'HEAD') return { status: 302, headers: to };
  const { headers, body } = html(`<a href="${PROFILES}">Found</a>.\n\n`);
  return { status: 302, headers: { ...headers, ...to }, body: body! };
}

async function profile(kind: ProfileKind, request: DebugRequest): Promise<DebugPage> {
  const seconds = profileSeconds(request.query.get('seconds'));
  if (seconds === undefined) return plain(400, 'seconds must be a number above zero\n');
  const left = request.secondsLeft - TO_ANSWER;
  if (kind.takesTime && seconds > left)
    return plain(400, `the profile would take longer than a request may (--request-timeout), ${Math.floor(left)} s\n`);
  try {
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${kind.name}.${kind.extension}"`,
    };
    return { status: 200, headers, body: await kind.take(seconds, request.signal()) };
  } catch (error) {
    if (!(error instanceof ProfilerBusy)) throw error;
    return plain(409, 'a profile is being taken; there is one at a time\n');
  }
}

function waiting(): DebugPage {
  const counts = [...waitedFor()].sort((a, b) => b[1] - a[1]);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return plain(200, `goroutine profile: total ${total}\n${counts.map(([type, n]) => `${n} @ ${type}\n`).join('')}`);
}

/** `PUT /debug/flags/v`: sets the amount of logging of this process. */
async function setVerbosity(request: DebugRequest, verbosity: { set(value: number): void }): Promise<DebugPage> {
  const headers = { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' };
  const answer = (status: number, body: string) => ({ status, headers, body });
  if (request.method !== 'PUT') return answer(406, 'unsupported http method\n');
  const value = (await request.readBody()).toString();
  const what = 'klog.logging.verbosity';
  const isNumber = /^[+-]?\d+$/.test(value);
  if (!isNumber || Math.abs(Number(value)) > MOST) {
    const shown = JSON.stringify(value.slice(0, LONGEST));
    const problem = `strconv.ParseInt: parsing ${shown}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
    return answer(400, `failed set ${what} ${value.slice(0, LONGEST)}: ${problem}\n`);
  }
  verbosity.set(Number(value));
  return answer(200, `successfully set ${what} to ${value}\n`);
}

/** The page of a path below `/debug`; undefined if there is none. */
export function debugPage(
  request: DebugRequest,
  verbosity: { set(value: number): void },
): Promise<DebugPage> | DebugPage | undefined {
  const { path, method } = request;
  if (path === VERBOSITY) return setVerbosity(request, verbosity);
  if (path === FLAGS || path.startsWith(`${FLAGS}/`)) return html(FLAG_INDEX);
  if (path === '/debug/pprof') return moved(method);
  if (!path.startsWith(PROFILES)) return undefined;
  const name = path.slice(PROFILES.length);
  if (name === '') return index();
  if (name === 'goroutine') return waiting();
  // Tools request this page first. It contains no symbols, because the profiles contain the names.
  if (name === 'symbol') return plain(200, 'num_symbols: 1\n');
  const kind = profileKinds.find((one) => one.name === name);
  return kind === undefined ? plain(404, 'Unknown profile\n') : profile(kind, request);
}
