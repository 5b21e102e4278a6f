// Checks the version of Node that runs the program.
import type { Finding } from './finding.ts';

const neededMajor = 24;

/** @param version like `24.21.0` */
export function checkNode(version: string): readonly Finding[] {
  if (Number.parseInt(version, 10) >= neededMajor)
    return [{ subject: 'node', verdict: 'ok', message: `Node ${version}.`, remedy: '' }];
  return [
    {
      subject: 'node',
      verdict: 'wrong',
      message: `Node ${version} runs the program; ${neededMajor} is needed.`,
      remedy: 'Start it with ./logistics-connect, which finds the Node that `npm ci` installed.',
    },
  ];
}
