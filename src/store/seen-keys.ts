// Remembers which records of one file were seen already, in memory that does not grow with the file.
import { textBlock } from '../model/text-block.ts';
import { DatabaseSync } from 'node:sqlite';

/** Where a key was first seen, and with which content. */
interface FirstSeen {
  readonly number: number;
  readonly contentHash: string;
}

export interface SeenKeys {
  /** Records a key with its number in the file; returns null the first time, otherwise where it was first seen. */
  readonly note: (key: string, contentHash: string, number: number) => FirstSeen | null;
  /** Forgets a recorded key. */
  readonly forget: (key: string) => void;
  /** Counts a key; returns 1 the first time. */
  readonly count: (key: string) => number;
  readonly close: () => void;
}

/**
 * A private, temporary database without a name: it is kept in memory up to the size of its cache, the rest in a file
 * that vanishes with it. One unending transaction and no journal, because nothing in it must survive.
 */
export function openSeenKeys(): SeenKeys {
  const database = new DatabaseSync('');
  database.exec(
    textBlock`
      PRAGMA page_size = 16384; PRAGMA cache_size = -32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA
      locking_mode = EXCLUSIVE
    `,
  );
  database.exec('CREATE TABLE keyed (key TEXT PRIMARY KEY, hash TEXT, number INTEGER) WITHOUT ROWID');
  database.exec('CREATE TABLE counted (key TEXT PRIMARY KEY, times INTEGER) WITHOUT ROWID');
  database.exec('BEGIN');
  const add = database.prepare('INSERT INTO keyed VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const first = database.prepare('SELECT number, hash FROM keyed WHERE key = ?');
  const remove = database.prepare('DELETE FROM keyed WHERE key = ?');
  const start = database.prepare('INSERT INTO counted VALUES (?, 1) ON CONFLICT DO NOTHING');
  const raise = database.prepare('UPDATE counted SET times = times + 1 WHERE key = ? RETURNING times');
  return {
    note(key, contentHash, number) {
      if (add.run(key, contentHash, number).changes === 1) return null;
      const row = first.get(key);
      return { number: Number(row?.number), contentHash: String(row?.hash) };
    },
    forget: (key) => void remove.run(key),
    count: (key) => (start.run(key).changes === 1 ? 1 : Number(raise.get(key)?.times)),
    close: () => database.close(),
  };
}
