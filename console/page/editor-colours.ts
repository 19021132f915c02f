import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colours are variables of the page, so that one style serves light and dark. */
const words = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.meta, tags.labelName, tags.typeName], color: 'var(--mark)' },
  { tag: [tags.separator, tags.punctuation, tags.brace, tags.squareBracket], color: 'var(--quiet)' },
]);

const frame = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--ground)' },
  '.cm-content': { caretColor: 'var(--text)', fontFamily: 'ui-monospace, monospace' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 0 0 0 1px var(--line)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--current)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--current)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--current)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--current)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderColor: 'var(--line)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
    maxWidth: 'min(30rem, 90vw)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--current)', color: 'var(--text)' },
  '.cm-panel input, .cm-panel button': {
    backgroundColor: 'var(--ground)',
    backgroundImage: 'none',
    color: 'var(--text)',
  },
  // The images of the editor's own style are not files of the page.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker-error': {
    content: 'none',
    backgroundColor: 'var(--bad)',
    borderRadius: '50%',
    width: '0.6em',
    height: '0.6em',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-completionInfo': { whiteSpace: 'pre-wrap' },
});

/** The appearance of the editor. */
export const EDITOR_COLOURS = [frame, syntaxHighlighting(words)];
