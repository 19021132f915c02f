import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodePng, encodePng } from './small-png.ts';

// The file that Debian's chromium wrote for a page of 6 by 5 pixels, and the pixels that it reads from the file.
const FILE =
  'iVBORw0KGgoAAAANSUhEUgAAAAYAAAAFCAIAAADpOgqxAAAAO0lEQVR4nFyKUQkAIBBDN1gFS2g089hMMIMp9DhPEPfxYHsTFk4qW0ceKMKNKTo1mcy4j1V8fLy+btwAAAD//3Vyx94AAAAGSURBVAMAPU0Q6sZ8TLYAAAAASUVORK5CYII=';
const PIXELS =
  '00ff0000ff0000ff006b00953f00bf1600ea00ff0000ff0000ff006a00954000bf1500eae90015c0004094006a6b00953f00bf1600eaea0015bf004095006a6a00954000bf1500eae90015c0004094006a6b00953f00bf1600ea';

/** The palette of a file: how many colours it has, and bits for each pixel. */
function form(file: Buffer): readonly [bits: number, colours: number] {
  return [file[24]!, file.readUInt32BE(33) / 3];
}

describe('encodePng and decodePng', () => {
  it('keep every pixel of a picture with few colours', () => {
    const picture = fc
      .record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 20 }), seed: fc.nat() })
      .map(({ width, height, seed }) => {
        const colours = [0, 0xffffff, 0x1d4ed8, 0xf3f4f6, 0x16181d].slice(0, 1 + (seed % 5));
        const pixels = Array.from({ length: width * height }, (_, at) => colours[(at * 7 + seed) % colours.length]!);
        const bytes = Uint8Array.from(pixels.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
        return { width, height, pixels: bytes };
      });
    fc.assert(
      fc.property(picture, (one) => {
        const small = encodePng(one);
        const [bits, colours] = form(small);
        assert.ok(colours <= 5 && bits <= 4);
      }),
    );
  });

  it('replace the rarest colours by the nearest ones', () => {
    const pixels = Uint8Array.from([0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 250, 250, 250]);
    assert.deepEqual(form(encodePng({ width: 5, height: 1, pixels }, 2)), [1, 2]);
  });

  it('read a PNG file of a browser', () => {
    const { width, height, pixels } = decodePng(Buffer.from(FILE, 'base64'));
    assert.deepEqual([width, height, Buffer.from(pixels).toString('hex')], [6, 5, PIXELS]);
  });
});
