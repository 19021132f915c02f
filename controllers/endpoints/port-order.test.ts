import assert from 'node:assert/strict';
import { inOrder } from './port-order.ts';

describe('inOrder', () => {
  const port = (text: string) => {
    const [name = '', number, protocol = 'TCP', appProtocol] = text.split(' ');
    return { name, port: Number(number), protocol, ...(appProtocol ? { appProtocol } : {}) };
  };
  const rows: readonly [given: string[], endpoints: string, slices: string][] = [
    [['a 1'], 'a', 'a'],
    [['b 80', 'a 90 UDP', 'c 70 SCTP'], 'a b c', 'b c a'],
    [['b 8081 UDP', 'c 82 TCP x/y'], 'c b', 'b c'],
    [['a 1', 'b 2 UDP x'], 'a b', 'b a'],
  ];
  for (const [given, endpoints, slices] of rows)
    it(`sorts ${given.join(', ')}`, () => {
      const names = (of: 'endpoints' | 'slices') => inOrder(given.map(port), of).map(({ name }) => name);
      assert.equal(names('endpoints').join(' '), endpoints);
      assert.equal(names('slices').join(' '), slices);
    });
});
