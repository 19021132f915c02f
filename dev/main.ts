#!/usr/bin/env node
import { useCompileCache } from '#server/compile-cache.ts';
import { keepHeapSmall } from '#server/observability/small-heap.ts';
import { settleAllocator } from './allocator.ts';

settleAllocator();
keepHeapSmall();
// This comes later, because the engine can use compiled code only with the same flags.
useCompileCache(import.meta.filename);
// This module loads the program only here. Modules that are loaded before this point are loaded twice, and compiled
// each time.
const { runProgram } = await import('./program.ts');
runProgram();
