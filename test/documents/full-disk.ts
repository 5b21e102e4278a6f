// Receives a document that does not fit, in a process that may write no file beyond half a megabyte.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { Problem } from '../../src/model/problem.ts';
import { kept, namesOf, streamOf } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'documents-'));
const incomingFolder = join(folder, '.incoming');
const failures: unknown[] = [];
const storage = createDiskStorage({ folder, database: 'ours', failed: (error) => failures.push(error) });
try {
  await storage.receive(streamOf(Buffer.alloc(2_000_000)), { size: 3_000_000 });
} catch (error) {
  console.log(error instanceof Problem ? error.slug : 'no problem', String(failures));
}
console.log('kept', (await namesOf(storage)).length);
console.log('left', readdirSync(incomingFolder).length);
await kept(storage, Buffer.alloc(100_000));
console.log('small ones still fit');
rmSync(folder, { recursive: true });
