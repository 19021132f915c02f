import { yamlLanguage } from '@codemirror/lang-yaml';
import { type EditorState, type Extension, RangeSet, StateField } from '@codemirror/state';
import { GutterMarker, gutter } from '@codemirror/view';
import type { ManagerOfFields } from '../protocol/object-messages.ts';
import { COLOURS, letterOf, managersByLine } from './manager-lines.ts';

/** The managers of the field that begins in a line. */
class ManagersOfLine extends GutterMarker {
  readonly #places: readonly number[];
  readonly #title: string;

  constructor(places: readonly number[], managers: readonly ManagerOfFields[]) {
    super();
    this.#places = places;
    this.#title = places.map((at) => `${managers[at]!.manager} (${managers[at]!.operation})`).join(', ');
  }

  override toDOM(): Node {
    const all = document.createElement('span');
    all.title = this.#title;
    for (const at of this.#places) {
      const one = document.createElement('span');
      one.className = `manager manager-${at % COLOURS}`;
      one.textContent = letterOf(at);
      all.append(one);
    }
    return all;
  }
}

/** Shows beside each line the managers that own its field. */
export function managerGutter(managers: readonly ManagerOfFields[]): Extension {
  const create = (state: EditorState): RangeSet<GutterMarker> => {
    // The editor itself reads a long text piece by piece.
    const text = state.doc.toString();
    const byLine = managersByLine(yamlLanguage.parser.parse(text), text, managers);
    const ranges = [...byLine].map(([line, places]) =>
      new ManagersOfLine(places, managers).range(state.doc.line(line + 1).from),
    );
    return RangeSet.of(ranges, true);
  };
  const marks = StateField.define<RangeSet<GutterMarker>>({
    create,
    update: (set, { changes }) => set.map(changes),
  });
  return [marks, gutter({ class: 'managers', markers: ({ state }) => state.field(marks) })];
}
