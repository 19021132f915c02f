import assert from 'node:assert/strict';
import { releaseOf } from '#base/release/release.ts';
import { deviceSelectorProblem } from './compile-device-selector.ts';

describe('deviceSelectorProblem', () => {
  // An expression, and its error.
  const cases: [string, RegExp | undefined][] = [
    ['device.driver == "gpu.example.com"', undefined],
    ['device.attributes["gpu.example.com"].model == "a" && device.attributes["gpu.example.com"].index > 1', undefined],
    ['device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) >= 0', undefined],
    ['cel.bind(own, device.attributes["gpu.example.com"], own.a && own.b)', undefined],
    ['device.attributes["gpu.example.com"].shared', undefined],
    ['device.allowMultipleAllocations', undefined],
    ['x', /undeclared reference to 'x'/],
    ['device.nope', /undefined field 'nope'/],
    ['device.driver', /must evaluate to bool or the unknown type, not string/],
    ['cel.bind(1, 2, true)', /invalid variable argument/],
    ['device.driver.bind(a, 2, true)', /found no matching overload|undeclared reference/],
    ['device.', /compilation failed/],
  ];
  for (const [text, problem] of cases)
    it(`${problem === undefined ? 'accepts' : 'refuses'} ${text}`, () => {
      const found = deviceSelectorProblem(text, releaseOf('1.37'));
      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', problem);
    });
});
