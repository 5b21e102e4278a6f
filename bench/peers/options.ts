// The command line of the comparison: what to measure, at which size, for how long.
import { parseArgs } from 'node:util';

/** What to measure. */
export interface Options {
  readonly movements: readonly number[];
  /** Folders of peers; null: all. */
  readonly peers: readonly string[] | null;
  /** Names of kinds of work; null: all. */
  readonly works: readonly string[] | null;
  readonly rounds: number;
  readonly latencyRounds: number;
  readonly seconds: number;
  /** Number of processes when the program serves in several. */
  readonly workers: number;
  /** Movements in the file that is imported while others read; 0: no import. */
  readonly importRows: number;
  /** Movements in the file that all of them import, and how often. */
  readonly bulkRows: number;
  readonly bulkRounds: number;
  /** Writes the page of results. */
  readonly write: boolean;
  /** As given. */
  readonly words: readonly string[];
}

export const usage = `Usage: npm run bench:peers -- [OPTION…]

  --quick             100,000 movements, short runs
  --movements N,N…    sizes, multiples of 10,000; 100,000, 1,000,000 and 10,000,000 unless it is said
  --peers NAME,…      these alone, by their folders in bench/peers; none: the program and the limits alone
  --works NAME,…      these kinds of work alone
  --rounds N          measured runs of each
  --seconds N         length of each run
  --workers N         processes of the program that serves in several; 2 unless it is said
  --import N          movements of the import beside reads: 1,000,000, with --quick 50,000;
                      0: no import at all
  --write             write docs/reference/benchmarks.md; sizes that are not measured stay in it as they were
`;

/**
 * Null when the usage is requested.
 * @throws TypeError for an unknown option, RangeError for an invalid value
 */
export function readOptions(words: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: 'boolean', default: false },
      movements: { type: 'string' },
      peers: { type: 'string' },
      works: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      workers: { type: 'string', default: '2' },
      import: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, write } = values;
  if (values.help) return null;
  const movements = listOf(values.movements ?? (quick ? '100000' : '100000,1000000,10000000')) ?? [];
  const sizes = movements.map((each) => positive(each, '--movements'));
  if (sizes.some((size) => size % 10_000 !== 0 || size < 100_000))
    throw new RangeError('--movements: multiples of 10,000, from 100,000 on');
  return {
    movements: sizes,
    peers: listOf(values.peers),
    works: listOf(values.works),
    rounds: positive(values.rounds ?? (quick ? '3' : '7'), '--rounds'),
    latencyRounds: quick ? 1 : 3,
    seconds: positive(values.seconds ?? (quick ? '1' : '3'), '--seconds'),
    workers: positive(values.workers, '--workers'),
    importRows: values.import === '0' ? 0 : positive(values.import ?? (quick ? '50000' : '1000000'), '--import'),
    bulkRows: quick ? 20_000 : 200_000,
    bulkRounds: quick ? 1 : 5,
    write,
    words,
  };
}

function listOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return text === 'none' ? [] : text.split(',').map((each) => each.trim());
}

function positive(text: string, name: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1e9)) throw new RangeError(`${name}: a number above 0 is expected, not ${text}`);
  return value;
}
