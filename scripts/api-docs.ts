import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { wordsSource } from '#schema/words/load.ts';
import { type DocumentedKind, documentedKinds, messagesOf } from './api-pages/documented-kinds.ts';
import { readExamples } from './api-pages/examples.ts';
import { pageOf, sharedPage } from './api-pages/page.ts';

const SHARED = 'shared-types';

/** Messages that are described on the page of their main kind, even if other kinds use them. */
const FIRST = ['pods', 'persistentvolumes', 'persistentvolumeclaims', 'jobs.batch'];

/** All API pages by file name: one page for each kind, one about shared types, and one index. */
export async function apiPages(root: string): Promise<Map<string, string>> {
  const naming = createNaming('orch');
  const words = await wordsSource(naming).load();
  if (words === undefined) throw new TypeError('there are no words');
  const kinds = documentedKinds(loadSchema(naming, 'every'), naming);
  const examples = new Map(
    readExamples(path.join(root, 'proto/examples')).map(({ object, text }) => [
      `${object.apiVersion} ${object.kind}`,
      text,
    ]),
  );
  const homes = homesOf(kinds);
  const pages = new Map<string, string>();
  for (const kind of kinds) {
    const example = examples.get(`${kind.apiVersion} ${kind.resource.kind}`);
    pages.set(`${kind.page}.md`, pageOf(kind, homes, words, example));
  }
  pages.set(`${SHARED}.md`, sharedPage('Shared types', SHARED, homes, words));
  pages.set(
    'README.md',
    listOf(kinds, (kind) => words.ofMessage(kind.message)),
  );
  return pages;
}

/**
 * The page of each message: that of its kind, or the shared one for metadata and messages outside any kind's package.
 */
function homesOf(kinds: readonly DocumentedKind[]): Map<MessageType, string> {
  const rank = ({ page }: DocumentedKind) => (FIRST.indexOf(page) + FIRST.length + 1) % (FIRST.length + 1);
  const homes = new Map<MessageType, string>();
  for (const kind of kinds.toSorted((a, b) => rank(a) - rank(b))) {
    for (const message of messagesOf(kind.message)) {
      const isOwn = message.package === kind.message.package;
      if (!homes.has(message) || (homes.get(message) === SHARED && isOwn))
        homes.set(message, isOwn ? kind.page : SHARED);
    }
  }
  return homes;
}

function listOf(kinds: readonly DocumentedKind[], aboutOf: (kind: DocumentedKind) => string | undefined): string {
  const lines = kinds.map((kind) => {
    const about = aboutOf(kind);
    return `- [${kind.resource.kind}](${kind.page}.md) (\`${kind.apiVersion}\`)${about === undefined ? '' : `: ${about}`}`;
  });
  return `# Kinds\n\nMade by \`make docs\` from \`proto/\`.\n\n${lines.join('\n')}\n\nWhat several kinds share: [shared types](${SHARED}.md).\n`;
}

async function main(root: string): Promise<void> {
  const folder = path.join(root, 'docs/api');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = await apiPages(root);
  for (const [name, text] of pages) writeFileSync(path.join(folder, name), text);
  console.log(`docs/api: ${pages.size} pages`);
}

if (import.meta.main) await main(path.resolve(import.meta.dirname, '..'));
