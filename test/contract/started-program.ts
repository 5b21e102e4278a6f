// How tests start the program: with TEST_PROGRAM, which tools/test.ts sets, the file that tools/program-bundle.ts made
// of it; else by its launcher.
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
export const launcher = join(root, 'logistics-connect');

/** What is to be run, with its first arguments and what its environment needs. */
interface StartedProgram {
  readonly command: string;
  readonly first: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

export function startedProgram(): StartedProgram {
  const { TEST_PROGRAM: bundle, NODE_COMPILE_CACHE: cache } = process.env;
  if (bundle === undefined) return { command: launcher, first: [], variables: {} };
  return {
    command: process.execPath,
    // As tools/node does.
    first: ['--disable-warning=ExperimentalWarning', bundle],
    variables: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
  };
}
