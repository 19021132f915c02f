// A module that is loaded before a program (`node --import`). Each SIGUSR2 moves both clocks of the process, the wall
// clock and the monotonic clock, one hour ahead. Existing timers keep their delay.

const HOUR_MS = 3_600_000;

let ahead = 0;
process.on('SIGUSR2', () => (ahead += HOUR_MS));

const now = Date.now.bind(Date);
const elapsed = performance.now.bind(performance);
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now() + ahead] : args, made),
  get: (target, property, from) => (property === 'now' ? () => now() + ahead : Reflect.get(target, property, from)),
});
Object.defineProperty(performance, 'now', { value: () => elapsed() + ahead });
