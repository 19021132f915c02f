// Loaded into a process before its program (`node --import`): with each SIGUSR2 both of its clocks, the one of the day
// and the one that only goes forward, are an hour further, as if it had waited so long. Timers stay as they were set.

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
