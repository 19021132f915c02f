import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels in rows, beginning at the top left, three bytes each: red, green, blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The picture in a PNG file, as browsers write screenshots: eight bits for each of three or four channels. A fourth
 * channel is ignored.
 *
 * @throws Error if it is another kind of PNG
 */
export function decodePng(file: Uint8Array): Picture {
  const bytes = Buffer.from(file);
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 8, at + 8 + length);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = new Map([
        [2, 3],
        [6, 4],
      ]).get(body[9]!)!;
      if (body[8] !== 8 || channels === undefined || body[12] !== 0) throw new Error('the PNG is of another kind');
    } else if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  return { width, height, pixels: withoutFilters(inflateSync(Buffer.concat(data)), width, height, channels) };
}

/** Undoes what each line of a PNG is written with: differences to its neighbours (RFC 2083, chapter 6). */
function withoutFilters(data: Uint8Array, width: number, height: number, channels: number): Uint8Array {
  const stride = width * channels;
  const pixels = new Uint8Array(width * height * 3);
  let before = new Uint8Array(stride);
  for (let row = 0; row < height; row++) {
    const start = row * (stride + 1);
    const filter = data[start];
    const line = data.slice(start + 1, start + 1 + stride);
    for (let at = 0; at < stride; at++) {
      const left = at < channels ? 0 : line[at - channels]!;
      const up = before[at]!;
      const corner = at < channels ? 0 : before[at - channels]!;
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter!]!;
      line[at] = line[at]! + guess;
    }
    for (let pixel = 0; pixel < width; pixel++)
      pixels.set(line.subarray(pixel * channels, pixel * channels + 3), (row * width + pixel) * 3);
    before = line;
  }
  return pixels;
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * A small PNG file of a picture with few colours, such as a page: one byte or less for each pixel. Of more colours than
 * there may be, the rarest become the nearest of the others.
 *
 * @param mostColours at most 256
 */
export function encodePng({ width, height, pixels }: Picture, mostColours = 256): Buffer {
  const { palette, indexes } = indexed(pixels, mostColours);
  const bits = [1, 2, 4, 8].find((count) => palette.length <= 2 ** count)!;
  const stride = Math.ceil((width * bits) / 8);
  const lines = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const at = row * (stride + 1) + 1 + ((column * bits) >> 3);
      lines[at] = lines[at]! | (indexes[row * width + column]! << (8 - bits - ((column * bits) & 7)));
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function indexed(pixels: Uint8Array, most: number): { palette: readonly number[]; indexes: Uint8Array } {
  const colourAt = (pixel: number) =>
    (pixels[pixel * 3]! << 16) | (pixels[pixel * 3 + 1]! << 8) | pixels[pixel * 3 + 2]!;
  const count = pixels.length / 3;
  const uses = new Map<number, number>();
  for (let pixel = 0; pixel < count; pixel++) uses.set(colourAt(pixel), (uses.get(colourAt(pixel)) ?? 0) + 1);
  const byUse = [...uses].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = byUse.slice(0, most);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const colour of byUse.slice(most)) places.set(colour, nearestOf(palette, colour));
  const indexes = new Uint8Array(count);
  for (let pixel = 0; pixel < count; pixel++) indexes[pixel] = places.get(colourAt(pixel))!;
  return { palette, indexes };
}

function nearestOf(palette: readonly number[], colour: number): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  let best = 0;
  for (const [place, other] of palette.entries()) if (distance(other) < distance(palette[best]!)) best = place;
  return best;
}
