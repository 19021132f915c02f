import { yaml, yamlLanguage } from '@codemirror/lang-yaml';
import { syntaxTree } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import type { RefObject } from 'preact';
import { useEffect, useImperativeHandle, useRef } from 'preact/hooks';
import type { ManagerOfFields } from '../protocol/object-messages.ts';
import { EDITOR_COLOURS } from './editor-colours.ts';
import type { FieldSchemas } from './field-schema.ts';
import { managerGutter } from './manager-gutter.ts';
import { type Finding, findingsIn } from './yaml-checks.ts';
import { yamlCompletion } from './yaml-completion.ts';
import { type CursorPlace, markOf, placeOfCursor } from './yaml-path.ts';

/** A field with a remark of the server. */
export interface FieldRemark {
  readonly field: string;
  readonly message: string;
}

/** Something in the text, with its line, counted from 1. */
export interface FoundInText extends Finding {
  readonly line: number;
}

/** The actions on an editor from outside. */
export interface EditorHandle {
  /** Puts the cursor to a place in the text. */
  goTo(position: number): void;
}

export interface YamlEditorProps {
  readonly label: string;
  /** The text that the editor shows at first. */
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly schemas: FieldSchemas | undefined;
  readonly managers: readonly ManagerOfFields[];
  /** The server's remarks about fields. */
  readonly remarks: readonly FieldRemark[];
  readonly handle: RefObject<EditorHandle>;
  readonly onChange: (text: string) => void;
  readonly onCursor: (place: CursorPlace) => void;
  readonly onFindings: (findings: readonly FoundInText[]) => void;
}

/** The editor adds styles to the page. The page's policy allows only styles with this nonce. */
const nonce = globalThis.document?.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? '';

/** An effect that checks the text again, because a schema or remarks of the server have arrived. */
const knowsMore = StateEffect.define<null>();

/** The time after a key press until the text is checked, in milliseconds. */
const CHECK_MS = 300;

/** YAML to read, or to edit with completion and checks. */
export function YamlEditor(props: YamlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>();
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({ doc: props.text, extensions: extensionsOf(latest) }),
    });
    editor.current = view;
    reportCursor(view, latest.current);
    return () => view.destroy();
  }, []);
  useEffect(() => {
    if (editor.current === undefined) return;
    editor.current.dispatch({ effects: knowsMore.of(null) });
    forceLinting(editor.current);
  }, [props.schemas, props.remarks]);
  useImperativeHandle(
    props.handle,
    (): EditorHandle => ({
      goTo: (position) => {
        const view = editor.current!;
        view.dispatch({ selection: { anchor: Math.min(position, view.state.doc.length) }, scrollIntoView: true });
        view.focus();
      },
    }),
  );
  return <div class="yaml" ref={place} />;
}

type Latest = { readonly current: YamlEditorProps };

function extensionsOf(latest: Latest) {
  const { label, isReadOnly, managers } = latest.current;
  return [
    basicSetup,
    yaml(),
    EDITOR_COLOURS,
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, ...(isReadOnly ? { 'aria-readonly': 'true' } : {}) }),
    EditorState.readOnly.of(isReadOnly),
    managers.length === 0 ? [] : managerGutter(managers),
    yamlCompletion(() => latest.current.schemas),
    isReadOnly ? [] : lintGutter(),
    linter((view) => diagnosticsOf(view, latest.current), {
      delay: CHECK_MS,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((each) => each.is(knowsMore))),
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
      if (update.docChanged || update.selectionSet) reportCursor(update.view, latest.current);
    }),
  ];
}

function reportCursor({ state }: EditorView, { onCursor }: YamlEditorProps): void {
  onCursor(placeOfCursor(syntaxTree(state), state.doc.toString(), state.selection.main.head));
}

/** The errors of the text: those that the schema finds during editing, and those that the server reported. */
function diagnosticsOf({ state }: EditorView, { isReadOnly, schemas, remarks, onFindings }: YamlEditorProps) {
  const text = state.doc.toString();
  // The editor itself reads a long text piece by piece.
  const tree = yamlLanguage.parser.parse(text);
  const own = isReadOnly ? [] : findingsIn(tree, text, schemas);
  const said = remarks.flatMap(({ field, message }): Finding[] => {
    const mark = markOf(tree, text, field);
    return mark === undefined ? [] : [{ from: mark.from, to: mark.to, message: `${field}: ${message}` }];
  });
  const found = [...said, ...own];
  onFindings(found.map((each) => ({ ...each, line: state.doc.lineAt(each.from).number })));
  return found.map(({ from, to, message }): Diagnostic => ({ from, to, message, severity: 'error' }));
}
