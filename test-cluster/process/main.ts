import { useCompileCache } from '#server/compile-cache.ts';
import { keepHeapSmall } from '#server/observability/small-heap.ts';
import { SteeredClock } from './steered-clock.ts';

const clock = new SteeredClock();
clock.install();
keepHeapSmall();
useCompileCache(import.meta.filename);
// This import must not be earlier: modules keep the clocks and timers that exist when they load.
const { serveCalls } = await import('./program.ts');
serveCalls(clock);
