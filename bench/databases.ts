// Databases that live for one benchmark: in a folder of their own, or as a database of their own on the PostgreSQL
// server.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { StorageSettings } from '../src/store/open.ts';

export type EngineName = 'SQLite' | 'PostgreSQL';

/** An empty place for a database, with a folder for files beside it. */
export interface Place {
  readonly engine: EngineName;
  readonly storage: StorageSettings;
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** SQLite, and PostgreSQL if `TEST_DATABASE_URL` names a server. */
export function enginesHere(): readonly EngineName[] {
  return serverUrl === undefined ? ['SQLite'] : ['SQLite', 'PostgreSQL'];
}

/** Creates a place, which the caller has to remove. */
async function makePlace(engine: EngineName): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-bench-'));
  const removeFolder = (): void => {
    process.off('exit', removeFolder);
    rmSync(folder, { recursive: true, force: true });
  };
  // Also when the benchmark is interrupted: a large table uses many gigabytes.
  process.on('exit', removeFolder);
  if (engine === 'SQLite')
    return { engine, folder, storage: { dataDir: folder, databaseUrl: null }, remove: async () => removeFolder() };
  const name = `lc_bench_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} encoding 'UTF8' template template0`);
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  return {
    engine,
    folder,
    storage: { dataDir: folder, databaseUrl: url.href },
    remove: async () => {
      removeFolder();
      await administer(`drop database ${name} with (force)`);
    },
  };
}

/** Creates places, works with them, and removes them whatever happens. */
export async function withPlaces<T>(
  engines: readonly EngineName[],
  work: (places: readonly Place[]) => Promise<T>,
): Promise<T> {
  const places: Place[] = [];
  try {
    for (const engine of engines) places.push(await makePlace(engine));
    return await work(places);
  } finally {
    for (const place of places) await place.remove();
  }
}

/** Free bytes where the folders are created. */
export function freeBytes(): number {
  const { bavail, bsize } = statfsSync(tmpdir());
  return bavail * bsize;
}

const serverUrl = process.env.TEST_DATABASE_URL;

async function administer(text: string): Promise<void> {
  const client = new Client(serverUrl ?? '');
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
