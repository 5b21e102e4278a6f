// The data of earlier versions in `versions/`: what is in them, and how a test gets a copy to work on.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';

export const baseUrl = 'https://api.logistics.example/v1';
export const authUrl = 'https://login.logistics.example';
export const secretKey = 'tall ships carry heavy crates to far harbours';

/** Every list of the client interface. */
export const listPaths: readonly string[] = [
  '/v1/articles',
  '/v1/articles/stock',
  '/v1/articles/movements',
  '/v1/orders',
  '/v1/orders/reports',
  '/v1/procurements',
  '/v1/procurements/UPGRADE-1/reports',
];

/** What the earlier version said of its data. */
export interface Expected {
  /** Of the program that made them. */
  readonly commit: string;
  readonly clientId: string;
  /** A platform key. */
  readonly key: string;
  /** Behind the last article. */
  readonly cursor: string;
  readonly lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** An earlier version's data on one engine. */
export interface EarlierData {
  readonly version: string;
  readonly expected: Expected;
  /** Puts database and document files in place; on PostgreSQL into an empty database. */
  readonly place: (dataDir: string, databaseUrl: string | null) => Promise<void>;
  /** Folder of a backup that the earlier version made, of the data of the embedded engine. */
  readonly backup: string;
}

const folder = join(import.meta.dirname, 'versions');

/** Of each version that there are data of, the earliest first. */
export function earlierData(engine: 'sqlite' | 'postgres'): readonly EarlierData[] {
  return readdirSync(folder)
    .toSorted()
    .map((version) => {
      const own = join(folder, version);
      const suffix = engine === 'sqlite' ? '' : '-postgres';
      return {
        version,
        expected: JSON.parse(readFileSync(join(own, `expected${suffix}.json`), 'utf8')),
        backup: join(own, 'backup'),
        place: async (dataDir, databaseUrl) => {
          mkdirSync(dataDir, { recursive: true, mode: 0o700 });
          const documents = join(own, `documents${suffix}`);
          if (existsSync(documents)) cpSync(documents, join(dataDir, 'documents'), { recursive: true });
          if (databaseUrl === null)
            writeFileSync(join(dataDir, 'logistics-connect.db'), unpacked(join(own, 'sqlite.db.gz')), { mode: 0o600 });
          else await executeAll(databaseUrl, unpacked(join(own, 'postgres.sql.gz')).toString());
        },
      };
    });
}

function unpacked(path: string): Buffer {
  return gunzipSync(readFileSync(path));
}

async function executeAll(databaseUrl: string, statements: string): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(statements);
  await client.end();
}
