/** The first letter of a line, by its level. All other levels have `I`. */
const LETTERS: ReadonlyMap<unknown, string> = new Map([
  ['fatal', 'F'],
  ['error', 'E'],
  ['warn', 'W'],
]);

/** Fields that are already in another part of the line, or in the name of the program's unit. */
const LEFT_OUT = new Set(['level', 'v', 'ts', 'pid', 'hostname', 'name', 'msg']);

const two = (number: number): string => String(number).padStart(2, '0');

function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * A log line as text, in the form that operators of this field know:
 * `I1122 21:48:32.123000 4711] "message" key="value"`. A line that is not JSON stays unchanged.
 */
export function textLine(json: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const { level, ts, pid, msg = '' } = fields as { level?: string; ts?: number; pid?: number; msg?: string };
  const letter = LETTERS.get(level) ?? 'I';
  const at = new Date((ts ?? 0) * 1000);
  const day = `${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  const micros = String(at.getMilliseconds()).padStart(3, '0').padEnd(6, '0');
  const rest = Object.entries(fields)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => {
      const { message, stack } = (value ?? {}) as { message?: unknown; stack?: unknown };
      // An error is shown as its message. The stack is only in JSON lines.
      return ` ${key}=${shown(key === 'err' && stack !== undefined ? message : value)}`;
    });
  return `${letter}${day} ${time}.${micros} ${pid ?? ''}] ${JSON.stringify(msg)}${rest.join('')}\n`;
}
