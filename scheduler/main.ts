#!/usr/bin/env node
import type { ManagerFlags } from '#controllers/controller.ts';
import { runProgram } from '#controllers/manager/run-program.ts';
import type { FlagsOf } from '#program/flags/parse-flag-table.ts';
import { configuration } from './configuration.ts';
import { flagSections, type SchedulerFlag } from './flag-table.ts';
import { defaultSetup } from './profiles/profile.ts';
import { readSetup } from './profiles/read-setup.ts';
import { createScheduler, scheduler } from './scheduler.ts';

runProgram({
  name: 'orch-scheduler',
  component: 'scheduler',
  about: 'Chooses a node for each pod that has none; one instance acts, others wait.',
  flagSections,
  controllers: [scheduler],
  configuration: (flags) => configuration(flags, defaultSetup),
  configure(flags: ManagerFlags) {
    const file = (flags as unknown as FlagsOf<SchedulerFlag>).get('config');
    if (file === '') return undefined;
    const { setup, flags: more } = readSetup(file, flags.naming);
    return {
      flags: more,
      controllers: [createScheduler(setup)],
      configuration: (all: ManagerFlags) => configuration(all, setup),
    };
  },
});
