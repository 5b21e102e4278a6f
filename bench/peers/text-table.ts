// The figures of one kind of work as a Markdown table, which is also printed.
import { median } from '../measure.ts';
import type { Imported } from './imports.ts';
import type { Latency, Reached } from './measure-work.ts';
import type { DuringImport } from './reads-during-import.ts';
import type { Work } from './work.ts';

/** One line for each subject, own ones first. */
export function textTable(work: Work, reached: readonly Reached[]): string {
  const best = bestPeer(reached);
  const head = [
    ...['server', 'requests/s', 'CPU s per 1,000', 'of it PostgreSQL', 'best peer : this'],
    ...['asked/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'answers', 'memory MB (own)', 'load generator'],
  ];
  const rows = reached.map((each) => {
    const { name, kind, perSecond, serverCpu, databaseCpu, loadShare, latency, memory } = each;
    const compared = kind === 'own' && best !== null ? comparedText(work, each, best) : '';
    return [
      name,
      amount(perSecond),
      amount(serverCpu + databaseCpu),
      databaseCpu === 0 ? '' : amount(databaseCpu),
      compared,
      ...(latency === null ? ['', '', '', '', ''] : [amount(latency.perSecond), ...latencyCells(latency)]),
      memory === null ? '' : `${memory.all.toFixed(0)} (${memory.own.toFixed(0)})`,
      kind === 'limit' && latency === null ? '' : `${Math.round(100 * loadShare)} %`,
    ];
  });
  return tableOf(head, rows);
}

/** The 99th percentile may be at most this multiple of the median while an import runs. */
const mostTimesMedian = 10;

/** Reads before and during an import. */
export function importTable(runs: readonly DuringImport[]): string {
  const head = ['server', 'import', 'rows/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'answers', 'p99 : p50'];
  return tableOf(
    head,
    runs.flatMap(({ name, rows, rowsPerSecond, quiet, busy }) => {
      const times = busy.p99 / busy.p50;
      const verdict = `aim below ${mostTimesMedian}: ${times < mostTimesMedian ? 'met' : 'missed'}`;
      return [
        [name, 'none', '', ...latencyCells(quiet), amount(quiet.p99 / quiet.p50)],
        [
          name,
          `${rows.toLocaleString('en-GB')} rows`,
          amount(rowsPerSecond),
          ...latencyCells(busy),
          `${amount(times)}, ${verdict}`,
        ],
      ];
    }),
  );
}

function latencyCells({ p50, p99, p999, answers }: Latency): readonly string[] {
  return [...[p50, p99, p999].map(amount), answers.toLocaleString('en-GB')];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_cell, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Imports of one file. */
export function bulkTable(imports: readonly Imported[]): string {
  return tableOf(
    ['who', 'rows', 'rows/s', 'CPU s per 1,000 rows', 'of it PostgreSQL'],
    imports.map(({ name, rows, rowsPerSecond, processCpu, databaseCpu }) => [
      name,
      rows.toLocaleString('en-GB'),
      amount(rowsPerSecond),
      amount(processCpu + databaseCpu),
      databaseCpu === 0 ? '' : amount(databaseCpu),
    ]),
  );
}

/** All own servers compared with the best peer, by processor time: a line for each kind of work. */
export function ratioTable(reached: ReadonlyMap<Work, readonly Reached[]>): string {
  const [first = []] = reached.values();
  const own = first.filter(({ kind }) => kind === 'own').map(({ name }) => name);
  return tableOf(
    ['work', 'best peer', ...own],
    [...reached].map(([work, each]) => {
      const best = bestPeer(each);
      const cells = own.map((name) => {
        const found = each.find((one) => one.name === name);
        return found === undefined || best === null ? '' : comparedText(work, found, best);
      });
      return [work.name, best?.name ?? '', ...cells];
    }),
  );
}

/** The peer with the least processor time per request. */
function bestPeer(reached: readonly Reached[]): Reached | null {
  const peers = reached.filter(({ kind }) => kind === 'peer');
  return peers.toSorted((a, b) => a.serverCpu + a.databaseCpu - b.serverCpu - b.databaseCpu)[0] ?? null;
}

/** How many times the work of the best peer is done in the same processor time: the median of the rounds. */
function ratioTo(best: Reached, own: Reached): number {
  return median(own.cpuOfRounds.flatMap((each, round) => (best.cpuOfRounds[round] ?? Number.NaN) / each));
}

function comparedText({ aims }: Work, own: Reached, best: Reached): string {
  const ratio = ratioTo(best, own);
  const aim = own.engine === null ? null : aims[own.engine];
  const verdict = aim === null ? '' : `, aim ${aim}: ${ratio >= aim ? 'met' : 'missed'}`;
  return `${amount(ratio)}${verdict}`;
}

function amount(value: number): string {
  if (Number.isNaN(value)) return '';
  if (value === Number.POSITIVE_INFINITY) return 'over 1,000';
  return value >= 100 ? Math.round(value).toLocaleString('en-GB') : value.toPrecision(3);
}
