// Reports the failure of a command to the operator: one line and what to do, or the same as JSON.
import { CommanderError } from 'commander';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';

/** A mistake in the command line that only the command itself can find. */
export class UsageError extends Error {}

/** The operator stopped the command. */
export class Interrupted extends Error {
  constructor(message = 'Interrupted.') {
    super(message);
  }
}

/**
 * Writes the failure to standard error; nothing if help or the version was requested.
 * @param command words of the command that ran, like `user add`; '' when unknown
 * @returns the exit code
 */
export function reportFailure(error: unknown, environment: Environment, command: string, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  // Help that is shown because a word is missing has already been written.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  const { exitCode, message, remedy } = toldFailure(error, command);
  const debug = /^(debug|trace)$/.test(environment.variables.LOG_LEVEL ?? '');
  if (json) writeJson(environment.stderr, { error: { message, remedy } });
  else environment.stderr.write(`logistics-connect: ${[message, remedy].filter((text) => text !== '').join(' ')}\n`);
  if (debug && error instanceof Error && exitCode === exitCodes.failed)
    environment.stderr.write(`${error.stack ?? ''}\n`);
  return exitCode;
}

interface FailureReport {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly remedy: string;
}

function toldFailure(error: unknown, command: string): FailureReport {
  if (error instanceof CommanderError || error instanceof UsageError) {
    const message = oneLine(error.message.replace(/^error: /, ''));
    return {
      exitCode: exitCodes.usage,
      message: sentence(message),
      remedy: `See: ./logistics-connect ${command === '' ? '' : `${command} `}--help`,
    };
  }
  if (error instanceof OperatorError)
    return { exitCode: exitCodes.failed, message: oneLine(error.message), remedy: oneLine(error.remedy) };
  if (error instanceof Interrupted) return { exitCode: exitCodes.interrupted, message: error.message, remedy: '' };
  const fault = storageFault(error);
  if (fault !== null) return { exitCode: exitCodes.failed, ...fault };
  if (error instanceof Problem && error.cause instanceof OperatorError) return toldFailure(error.cause, command);
  if (error instanceof Problem) return { exitCode: exitCodes.failed, message: oneLine(error.detail), remedy: '' };
  const message = error instanceof Error ? error.message : String(error);
  return {
    exitCode: exitCodes.failed,
    message: sentence(oneLine(message)),
    remedy: 'Set LOG_LEVEL=debug to see where it happened.',
  };
}

const full = {
  message: 'The disk is full.',
  remedy: 'Make room, and run the command again: an import completes itself.',
};

/**
 * Faults that an operator can remedy, by the codes of SQLite (result codes 8, 11, 13), PostgreSQL (class 53) and the
 * operating system.
 */
const storageFaults: ReadonlyMap<unknown, Omit<FailureReport, 'exitCode'>> = new Map<
  unknown,
  Omit<FailureReport, 'exitCode'>
>([
  [
    8,
    {
      message: 'The database may not be written.',
      remedy: 'Check that this user may write DATA_DIR and the files in it.',
    },
  ],
  [
    11,
    {
      message: 'The database file is damaged.',
      remedy: 'Stop the server and restore a backup: see docs/operation.md.',
    },
  ],
  [13, full],
  ['53100', full],
  ['ENOSPC', full],
  ['EDQUOT', full],
]);

function storageFault(error: unknown): Omit<FailureReport, 'exitCode'> | null {
  if (!(error instanceof Error)) return null;
  // The higher bits of an SQLite code are more specific than needed.
  const code =
    'errcode' in error && typeof error.errcode === 'number'
      ? error.errcode & 0xff
      : 'code' in error
        ? error.code
        : null;
  return storageFaults.get(code) ?? storageFault(error.cause);
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?)]$/.test(text) ? '' : '.'}`;
}
