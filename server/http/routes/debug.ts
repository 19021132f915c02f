import { type Answer, plainText, text } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import {
  type ProfileKind,
  ProfilerBusy,
  profileKinds,
  profileSeconds,
  waitedFor,
} from '../../observability/profiling/profiles.ts';
import type { Verbosity } from '../../observability/server-log.ts';

const PROFILES = '/debug/pprof/';
const FLAGS = '/debug/flags';
const VERBOSITY = `${FLAGS}/v`;

/** What of this process can be changed while it runs. */
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

/** A profile ends so long before its request would, in milliseconds, so that the answer gets out. */
const TO_ANSWER = 2_000;

/** A verbosity is a number of a few digits. */
const LONGEST = 32;

function page(html: string): Extract<Answer, { kind: 'bytes' }> {
  return { kind: 'bytes', status: 200, contentType: 'text/html; charset=utf-8', body: Buffer.from(html) };
}

function index(): Answer {
  const rows = [
    ...profileKinds.map(({ name, about }) => [name, about]),
    ['goroutine', 'what this process waits for, by type'],
  ].map(([name, about]) => `<tr><td><a href="${name}">${name}</a></td><td>${about}</td></tr>`);
  return page(`<html>
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

/** Sends browsers to the index; others than those that read get no page with it. */
function moved(method: string): Answer {
  const headers = { Location: PROFILES };
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'empty', status: 302, headers };
  return { ...page(`<a href="${PROFILES}">Found</a>.\n\n`), status: 302, headers };
}

async function profile(kind: ProfileKind, context: RequestContext): Promise<Answer> {
  const seconds = profileSeconds(context.query.get('seconds'));
  if (seconds === undefined) return plainText(400, 'seconds must be a number above zero\n');
  const left = (context.deadlineAt - performance.now() - TO_ANSWER) / 1000;
  if (kind.takesTime && seconds > left)
    return plainText(
      400,
      `the profile would take longer than a request may (--request-timeout), ${Math.floor(left)} s\n`,
    );
  try {
    const signal = AbortSignal.any([context.signal, context.leaving]);
    return {
      kind: 'bytes',
      status: 200,
      contentType: 'application/octet-stream',
      headers: { 'Content-Disposition': `attachment; filename="${kind.name}.${kind.extension}"` },
      body: await kind.take(seconds, signal),
    };
  } catch (error) {
    if (!(error instanceof ProfilerBusy)) throw error;
    return plainText(409, 'a profile is being taken; there is one at a time\n');
  }
}

function waiting(): Answer {
  const counts = [...waitedFor()].sort((a, b) => b[1] - a[1]);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return plainText(200, `goroutine profile: total ${total}\n${counts.map(([type, n]) => `${n} @ ${type}\n`).join('')}`);
}

const PLAIN = { 'Content-Type': 'text/plain' };

/** `PUT /debug/flags/v`: how much is logged from here on, in this process. */
async function setVerbosity(context: RequestContext, verbosity: Verbosity): Promise<Answer> {
  if (context.info.method !== 'PUT') return text(406, 'unsupported http method\n', PLAIN);
  const value = (await context.readBody()).toString();
  const what = 'klog.logging.verbosity';
  if (!/^[+-]?\d{1,9}$/.test(value)) {
    const shown = JSON.stringify(value.slice(0, LONGEST));
    const problem = `strconv.ParseInt: parsing ${shown}: invalid syntax`;
    return text(400, `failed set ${what} ${value.slice(0, LONGEST)}: ${problem}\n`, PLAIN);
  }
  verbosity.set(Number(value));
  return text(200, `successfully set ${what} to ${value}\n`, PLAIN);
}

/** Answers what is below `/debug` where profiling is on; undefined for other paths. */
export function debugRoutes(verbosity: Verbosity): (context: RequestContext) => Promise<Answer> | Answer | undefined {
  return (context) => {
    const { path, method } = context.info;
    if (path === VERBOSITY) return setVerbosity(context, verbosity);
    if (path === FLAGS || path.startsWith(`${FLAGS}/`)) return page(FLAG_INDEX);
    if (path === '/debug/pprof') return moved(method);
    if (!path.startsWith(PROFILES)) return undefined;
    const name = path.slice(PROFILES.length);
    if (name === '') return index();
    if (name === 'goroutine') return waiting();
    // asked by tools before anything else: names are in the profiles themselves
    if (name === 'symbol') return plainText(200, 'num_symbols: 1\n');
    const kind = profileKinds.find((one) => one.name === name);
    return kind === undefined ? plainText(404, 'Unknown profile\n') : profile(kind, context);
  };
}
