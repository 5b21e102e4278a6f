// An empty database of its own for tests that start the real program on a PostgreSQL server.
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Client } from 'pg';

/** A database of its own on a server; it is removed when the test ends. */
export async function newDatabase(t: TestContext, server: string): Promise<string> {
  const administration = new Client(server);
  await administration.connect();
  const name = `lc_test_${randomBytes(6).toString('hex')}`;
  await administration.query(`create database ${name} encoding 'UTF8' template template0`);
  t.after(async () => {
    await administration.query(`drop database ${name} with (force)`);
    await administration.end();
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
