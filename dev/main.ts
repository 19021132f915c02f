#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { useCompileCache } from '#server/compile-cache.ts';
import { keepHeapSmall } from '#server/observability/small-heap.ts';
import { settleAllocator } from './allocator.ts';

settleAllocator();
keepHeapSmall();
// young objects are few in a cluster that rests; room for many costs memory that is never given back
setFlagsFromString('--max-semi-space-size=2');
// Only after that, because compiled code is good for the same flags of the engine only.
useCompileCache(import.meta.filename);
// not earlier: modules that are loaded before this point are loaded twice and compiled each time
const { runProgram } = await import('./program.ts');
runProgram();
