/** Labels as users type them: one `key=value` in each line. */
export function writeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

/** The labels in a typed text, and the error of the text. */
export function readLabels(text: string): {
  readonly labels: Readonly<Record<string, string>>;
  readonly mistake: string | undefined;
} {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at <= 0) return { labels: {}, mistake: `Write "${line}" as key=value.` };
    const key = line.slice(0, at).trim();
    if (labels.has(key)) return { labels: {}, mistake: `The label ${key} stands here twice.` };
    labels.set(key, line.slice(at + 1).trim());
  }
  return { labels: Object.fromEntries(labels), mistake: undefined };
}

/** The labels to set; null removes a label. */
export function labelChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const set = Object.entries(after).filter(([key, value]) => !Object.hasOwn(before, key) || before[key] !== value);
  return Object.fromEntries([...gone.map((key): [string, null] => [key, null]), ...set]);
}
