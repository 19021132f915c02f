#!/usr/bin/env node
import { flagSections } from './flag-table.ts';
import { controllers } from './index.ts';
import { configuration } from './manager/configuration.ts';
import { runProgram } from './manager/run-program.ts';

runProgram({
  name: 'orch-controller-manager',
  component: 'controller-manager',
  about: 'Controllers that bring about what the objects of a cluster ask for; one instance acts, others wait.',
  flagSections,
  controllers,
  configuration,
});
