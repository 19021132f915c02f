/** A section of the specification's text, and the number of its blocks. */
export interface Blocks {
  /** The chapter and the section, such as `4.5`. Section 0 is the text before the first heading of a chapter. */
  readonly id: string;
  readonly heading: string;
  /** The number of rows of tables, items of lists, and separate paragraphs. */
  readonly count: number;
}

/**
 * Counts the statements of the specification's Markdown text by section: each row, item and paragraph counts as one. A
 * paragraph does not count if it only introduces a table or list, or if it names omissions of the text.
 */
export function blocksOf(text: string): Blocks[] {
  const sections: { id: string; heading: string; count: number }[] = [];
  let [chapter, section] = [0, 0];
  let header = true;
  for (const line of text.split('\n')) {
    const [, marks, heading] = /^(#{2,4}) (.*)$/.exec(line) ?? [];
    if (marks !== undefined) {
      if (marks === '##') [chapter, section] = [chapter + 1, 0];
      else section++;
      sections.push({ id: `${chapter}.${section}`, heading: heading!, count: 0 });
    }
    const isRow = line.startsWith('|');
    // The first two lines of a table are its head.
    const says = isRow
      ? !header && !/^\|[-| ]+\|$/.test(line)
      : marks === undefined && !/^$|:$|not shown\.$/.test(line);
    header = !isRow;
    if (says && sections.length > 0) sections.at(-1)!.count++;
  }
  return sections.filter(({ id, count }) => count > 0 || !id.endsWith('.0'));
}
