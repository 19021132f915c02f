import assert from 'node:assert/strict';
import { failingPull, isImageName, unpullableImages } from './image-pull.ts';

describe('isImageName', () => {
  for (const [image, isName] of [
    ['nginx', true],
    ['nginx:1.27', true],
    ['registry.example.com:5000/team/web_app.x--y:V1', true],
    ['LOCALHOST/web', true],
    [`web@sha256:${'0'.repeat(64)}`, true],
    ['INVALID', false],
    ['web:', false],
    ['web tag', false],
    ['web:1:2', false],
    ['http://web', false],
    [`web@sha256:12`, false],
    ['', false],
  ] as const)
    it(`${image} is ${isName ? 'valid' : 'invalid'}`, () => assert.equal(isImageName(image), isName));
});

describe('unpullableImages and failingPull', () => {
  const cannot = unpullableImages(['*:404', '*.invalid/*', 'only/this', 'a*b*c']);
  for (const [image, expected] of [
    ['web:404', true],
    ['web:4040', false],
    ['registry.invalid/web', true],
    ['only/this', true],
    ['only/this:1', false],
    ['a-b-c', true],
    ['a-c', false],
    ['abc', true],
  ] as const)
    it(`${image}: ${expected}`, () => assert.equal(cannot(image), expected));

  it('failed pulls are retried with growing delays', () => {
    const seen: string[] = [];
    for (let at = 0; at < 700_000; ) {
      const { reason, forMs } = failingPull(at);
      seen.push(`${at / 1000} ${reason}`);
      at += forMs;
    }
    assert.deepEqual(seen.slice(0, 5), [
      '0 ErrImagePull',
      '2 ImagePullBackOff',
      '12 ErrImagePull',
      '14 ImagePullBackOff',
      '34 ErrImagePull',
    ]);
    assert.deepEqual(seen.slice(-2), ['622 ErrImagePull', '624 ImagePullBackOff']);
  });
});
