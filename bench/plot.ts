/** One line of a plot; all values are above zero. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  /** Names of the axes. */
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

const WIDTH = 760;
const HEIGHT = 440;
const LEFT = 70;
const TOP = 40;
const BOTTOM = 50;
/** Room for the names of the lines, right of the plot. */
const NAMES = 220;
/** Colours that differ for most eyes, in the order they are used. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
/** The least distance between the names of two lines. */
const NAME_HEIGHT = 18;

/** An axis in powers of ten, from `low` to `high` on the paper. */
interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axis(values: readonly number[], low: number, high: number): Axis {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)),
    at: (value) => low + ((Math.log10(value) - from) / (to - from)) * (high - low),
  };
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(content)}</text>`;
}

function tickText(value: number): string {
  return value >= 1 ? value.toLocaleString('en') : String(Number(value.toPrecision(1)));
}

/** Heights of the lines' names: next to the last point, moved so that they do not overlap. */
function nameHeights(ends: readonly number[]): number[] {
  const heights = [...ends];
  const order = [...ends.keys()].sort((a, b) => ends[a]! - ends[b]!);
  for (let i = 1; i < order.length; i++) {
    heights[order[i]!] = Math.max(ends[order[i]!]!, heights[order[i - 1]!]! + NAME_HEIGHT);
  }
  return heights;
}

/** Draws lines over two axes in powers of ten, as SVG. */
export function plot({ title, x, y, lines }: Plot): string {
  const right = WIDTH - NAMES;
  const floor = HEIGHT - BOTTOM;
  const points = lines.flatMap((line) => line.points);
  const across = axis(
    points.map(([value]) => value),
    LEFT,
    right,
  );
  const up = axis(
    points.map(([, value]) => value),
    floor,
    TOP,
  );
  const grid = [
    ...across.ticks.map((tick) => {
      const at = across.at(tick).toFixed(1);
      return `<path class="grid" d="M${at} ${TOP}V${floor}"/>${text(Number(at), floor + 18, tickText(tick), 'text-anchor="middle"')}`;
    }),
    ...up.ticks.map((tick) => {
      const at = up.at(tick).toFixed(1);
      return `<path class="grid" d="M${LEFT} ${at}H${right}"/>${text(LEFT - 8, Number(at) + 4, tickText(tick), 'text-anchor="end"')}`;
    }),
  ];
  const heights = nameHeights(lines.map((line) => up.at(line.points.at(-1)![1])));
  const drawn = lines.map((line, i) => {
    const colour = COLOURS[i % COLOURS.length]!;
    const placed = line.points.map(([px, py]) => [across.at(px).toFixed(1), up.at(py).toFixed(1)] as const);
    const dots = placed.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${colour}"/>`).join('');
    const way = placed.map(([px, py]) => `${px},${py}`).join(' ');
    return `<polyline points="${way}" stroke="${colour}" fill="none" stroke-width="2"/>${dots}${text(right + 10, heights[i]! + 4, line.name, `fill="${colour}"`)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    '<style>.grid{stroke:#ddd;fill:none}</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(LEFT, 22, title, 'font-size="15"'),
    ...grid,
    text((LEFT + right) / 2, HEIGHT - 10, x, 'text-anchor="middle"'),
    text(LEFT - 8, TOP - 12, y, 'text-anchor="end"'),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}
