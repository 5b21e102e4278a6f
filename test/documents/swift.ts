// A real S3 server for tests: OpenStack Swift, on a free port, with its objects in memory.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Place } from '../../src/documents/s3-place.ts';
import { leftToGate } from '../contract/rounds.ts';

const python = '/usr/bin/python3';

/** False, or why tests cannot run here. */
export const skip: false | string =
  leftToGate ||
  (spawnSync(python, ['-c', 'import swift.obj.mem_server']).status !== 0 &&
    'OpenStack Swift is not installed: run .ci/install-s3');

export const swiftKey = { accessKeyId: 'test:tester', secretAccessKey: 'testing' } as const;

export interface Swift {
  readonly port: number;
  readonly endpoint: string;
  /** Makes a bucket. */
  readonly bucket: (name: string) => Promise<S3Place>;
  readonly stop: () => Promise<void>;
}

export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'swift-'));
  const child = spawn(python, [fileURLToPath(new URL('swift-server.py', import.meta.url)), folder], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const port = await portOf(child);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: swiftKey });
  return {
    port,
    endpoint,
    bucket: async (name) => {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return { bucket: name, prefix: 'shop/documents/', endpoint, region: 'us-east-1', pathStyle: true };
    },
    stop: async () => {
      client.destroy();
      child.stdin?.end();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/** @throws Error with what it complained about when it does not start */
async function portOf(child: ChildProcess): Promise<number> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('Swift was started without pipes');
  let complaints = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  for await (const line of createInterface(stdout)) return Number(line);
  throw new Error(`Swift did not start:\n${complaints}`);
}
