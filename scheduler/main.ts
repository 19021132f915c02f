#!/usr/bin/env node
import { runProgram } from '#controllers/manager/run-program.ts';
import { configuration } from './configuration.ts';
import { flagSections } from './flag-table.ts';
import { scheduler } from './scheduler.ts';

runProgram({
  name: 'orch-scheduler',
  component: 'scheduler',
  about: 'Chooses a node for each pod that has none; one instance acts, others wait.',
  flagSections,
  controllers: [scheduler],
  // Each decision makes many objects that are gone with it: in little room half of the time goes to collecting them.
  youngMb: 4,
  configuration,
});
