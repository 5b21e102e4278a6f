// What the operator reads when a command does not succeed: one line and what to do, or the same as JSON.
import { CommanderError } from 'commander';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';

/** The command line itself is wrong, in a way that only the command can tell. */
export class UsageError extends Error {}

/** The operator stopped the command. */
export class Interrupted extends Error {
  constructor(message = 'Interrupted.') {
    super(message);
  }
}

/**
 * Writes what went wrong to standard error; nothing where help or the version was asked for.
 * @param command words of the command that ran, like `user add`; '' when it is not known
 * @returns the exit code
 */
export function reportFailure(error: unknown, environment: Environment, command: string, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  // Help that nobody asked for, because a word is missing, was written already.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  const { exitCode, message, remedy } = judge(error, command);
  const debug = /^(debug|trace)$/.test(environment.variables.LOG_LEVEL ?? '');
  if (json) writeJson(environment.stderr, { error: { message, remedy } });
  else environment.stderr.write(`logistics-connect: ${[message, remedy].filter((text) => text !== '').join(' ')}\n`);
  if (debug && error instanceof Error && exitCode === exitCodes.failed) environment.stderr.write(`${error.stack ?? ''}\n`);
  return exitCode;
}

interface Judgement { readonly exitCode: ExitCode; readonly message: string; readonly remedy: string }

function judge(error: unknown, command: string): Judgement {
  if (error instanceof CommanderError || error instanceof UsageError) {
    const message = oneLine(error.message.replace(/^error: /, ''));
    return { exitCode: exitCodes.usage, message: sentence(message), remedy: `See: ./logistics-connect ${command === '' ? '' : `${command} `}--help` };
  }
  if (error instanceof OperatorError) return { exitCode: exitCodes.failed, message: oneLine(error.message), remedy: oneLine(error.remedy) };
  if (error instanceof Interrupted) return { exitCode: exitCodes.interrupted, message: error.message, remedy: '' };
  if (error instanceof Problem) return { exitCode: exitCodes.failed, message: oneLine(error.detail), remedy: '' };
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed, message: sentence(oneLine(message)), remedy: 'Set LOG_LEVEL=debug to see where it happened.' };
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?)]$/.test(text) ? '' : '.'}`;
}
