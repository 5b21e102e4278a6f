// The figures of a run: as a table for people, as JSON for later comparison.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { cpuMicroseconds, type Measured, rate, ratio } from './measure.ts';

/** One line of the table. */
export interface Figure {
  readonly part: string;
  readonly engine: string;
  readonly what: string;
  readonly reached: number;
  readonly unit: string;
  /** What it is compared with, and its value in the same unit. */
  readonly limit: { readonly name: string; readonly value: number } | null;
  /** Reached by limit, or limit by reached if less is better: 1 is as good as the limit. */
  readonly ratio: number | null;
  readonly aim: string;
  readonly met: boolean | null;
  /** The same ratio by processor time, which other work on the machine affects less. */
  readonly cpuRatio: number | null;
  readonly note: string;
}

/** The description of a figure that compares runs. */
interface Comparison {
  readonly part: string;
  readonly engine: string;
  readonly what: string;
  readonly unit: string;
  readonly limitName: string;
  /** The smallest ratio to reach; null: none. */
  readonly aim: number | null;
}

/** The figure of some runs compared with those of a peer. */
export function compared(
  { part, engine, what, unit, limitName, aim }: Comparison,
  runs: readonly Measured[],
  peer: readonly Measured[],
): Figure {
  const [own, other] = [cpuMicroseconds(runs), cpuMicroseconds(peer)];
  const reached = ratio(runs, peer);
  return {
    part,
    engine,
    what,
    reached: rate(runs),
    unit,
    limit: { name: limitName, value: rate(peer) },
    ratio: reached,
    aim: aim === null ? '' : `≥ ${percent(aim)}`,
    met: aim === null ? null : reached >= aim,
    cpuRatio: own === null || other === null ? null : other / own,
    note:
      own === null || other === null ? '' : `${own.toFixed(0)} µs of processor time each, ${other.toFixed(0)} there`,
  };
}

/** The figures as a table of text. */
export function table(figures: readonly Figure[]): string {
  const rows = [['', 'engine', 'what', 'reached', 'limit', 'ratio', 'by CPU', 'aim', ''], ...figures.map(cells)];
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const notes = figures
    .filter(({ note }) => note !== '')
    .map(({ part, engine, what, note }) => `  ${part} ${engine} ${what}: ${note}`);
  return `${[...lines, '', ...notes].join('\n')}\n`;
}

/**
 * Writes the figures as JSON.
 * @param folder created if missing
 * @returns the file's name
 */
export function writeResults(folder: string, options: readonly string[], figures: readonly Figure[]): string {
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = join(folder, `${at.replaceAll(':', '').slice(0, 17)}Z.json`);
  const [cpu] = cpus();
  const machine = {
    processor: cpu?.model ?? '',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 1e9),
    system: release(),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ at, options, machine, figures }, null, 1)}\n`);
  return file;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function cells({
  part,
  engine,
  what,
  reached,
  unit,
  limit,
  ratio: reachedShare,
  cpuRatio,
  aim,
  met,
}: Figure): readonly string[] {
  return [
    part,
    engine,
    what,
    `${amount(reached)} ${unit}`,
    limit === null ? '' : `${amount(limit.value)} ${limit.name}`,
    reachedShare === null ? '' : percent(reachedShare),
    cpuRatio === null ? '' : percent(cpuRatio),
    aim,
    met === null ? '' : met ? 'met' : 'NOT MET',
  ];
}

function amount(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-GB') : value.toPrecision(3);
}
