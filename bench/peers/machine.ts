// What the results say about the machine and the measured programs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { textBlock } from '../../src/model/text-block.ts';

/** The machine, in words. */
export function machineFacts(): readonly string[] {
  const [processor] = cpus();
  return [
    `${cpus().length} processors ${processor?.model ?? ''}, ${Math.round(totalmem() / 1e9)} GB of memory, ` +
      `${systemName()}, Linux ${release()}`,
    `Node ${process.version}, SQLite ${process.versions.sqlite}, ${postgresVersion()}`,
    `load of the machine when the run began: ${loadAverage}${isBusy ? busyText : ''}`,
  ];
}

const loadAverage = readText('/proc/loadavg').split(' ')[0] ?? '';
/** A higher load per processor is caused by other work than that of the measured servers. */
const quietLoad = 0.25;
const isBusy = Number(loadAverage) > quietLoad * cpus().length;
const busyText = textBlock`
  : **it was busy with other work**. Requests a second and percentiles of this run tell what was left of the machine;
  what can be compared is processor time and its ratios
`;

/** The commit of the measured program: the last one that changed it. */
export function commit(): string {
  return textOf('git', ['log', '-1', '--format=%h of %cs', '--', 'src']);
}

function systemName(): string {
  return /^PRETTY_NAME="(.*)"$/m.exec(readText('/etc/os-release'))?.[1] ?? '';
}

function postgresVersion(): string {
  return textOf('psql', ['-X', '-At', '-d', process.env.TEST_DATABASE_URL ?? '', '-c', 'select version()'])
    .split(' ')
    .slice(0, 2)
    .join(' ');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function textOf(program: string, words: readonly string[]): string {
  try {
    return execFileSync(program, words, { encoding: 'utf8' }).trim();
  } catch {
    return `${program} does not tell`;
  }
}
