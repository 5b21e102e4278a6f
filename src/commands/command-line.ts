// The basis of every group of commands, and the options that several of them share.
import { Option } from 'commander';
import { platformRoles } from '../auth/platform-roles.ts';
import { textBlock } from '../model/text-block.ts';
import type { Environment, ExitCode } from './environment.ts';

/** The command line to which a group of commands is added. */
export interface CommandLine {
  readonly environment: Environment;
  /** Receives the exit code of the command that ran. */
  readonly done: (exitCode: ExitCode) => void;
}

/** Options of a command that can write JSON. */
export interface JsonOption {
  readonly json?: true;
}

export const jsonOption = ['--json', 'write JSON: the result to standard output, an error to standard error'] as const;
export const activitiesOption = [
  '--activity <code...>',
  'activity that it may act in; may be given several times',
] as const;
export const activityFilter = ['--activity <code>', 'only what may act in this activity'] as const;
export const addedActivitiesOption = [
  '--add-activity <code...>',
  'activity that is granted; may be given several times',
] as const;
export const removedActivitiesOption = [
  '--remove-activity <code...>',
  'activity that is withdrawn; may be given several times',
] as const;

export const operatorMeaning = textBlock`
  a person who runs the service: may be without activities, and may do at the platform interface what the roles say
`;
export const roleMeaning = `what an operator may do at the platform interface: ${platformRoles.join(', ')}`;

/** Whether a user may do without a second factor. */
export type SecondFactorRule = 'optional' | 'required';

export function secondFactorOption(): Option {
  const rules: readonly SecondFactorRule[] = ['optional', 'required'];
  return new Option('--second-factor <rule>', 'whether signing in needs a code of an app too').choices([...rules]);
}
