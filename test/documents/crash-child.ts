// Receives documents until it is killed, and says on standard output how far it has come.
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { newName } from './contract.ts';

const [folder = '', until = ''] = process.argv.slice(2);
const storage = createDiskStorage({
  folder,
  database: 'ours',
  failed: (error) => {
    throw error;
  },
});
const limits = { size: 10_000_000 };

/** Told before the next step begins, whatever happens to this process. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

function stop(): Promise<never> {
  setInterval(() => undefined, 1000);
  return new Promise(() => undefined);
}

async function* halfArrived(): AsyncGenerator<Buffer> {
  for (let count = 0; count < 20; count += 1) yield Buffer.alloc(65_536, count);
  tell('arriving');
  await stop();
}

async function work(worker: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const bytes = Buffer.alloc(1 + ((worker * 7919 + count * 104_729) % 400_000), `${worker}/${count}`);
    const name = newName();
    tell(`begun ${name} ${createHash('sha256').update(bytes).digest('hex')}`);
    await (
      await storage.receive(
        Readable.from([bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]),
        limits,
      )
    ).keep(name);
    tell(`kept ${name}`);
  }
}

if (until === 'arriving') await storage.receive(Readable.from(halfArrived()), limits);
if (until === 'received') {
  const received = await storage.receive(Readable.from([Buffer.alloc(1_000_000)]), limits);
  tell('received');
  await stop();
  await received.discard();
}
if (until === 'killed') await Promise.all([1, 2, 3, 4].map(work));
