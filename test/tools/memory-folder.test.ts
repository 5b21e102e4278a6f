// The folder in memory for what tests write: it goes with the process that made it, however that ends.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { memoryFolder } from '../../tools/memory-folder.ts';

/** Makes a folder in a process of its own, which then waits for its standard input to end. */
async function started(): Promise<{ readonly child: ChildProcess; readonly folder: string }> {
  const module = JSON.stringify(new URL('../../tools/memory-folder.ts', import.meta.url).href);
  const program = `
    const { memoryFolder } = await import(${module});
    console.log(memoryFolder(process.argv[1]));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, tmpdir()]);
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, folder: String(text).trim() };
}

const skip = memoryFolder(tmpdir()) === null ? 'this machine has too little memory or room' : false;

describe('the folder in memory', () => {
  it('is none where there is no such place', () => {
    assert.equal(memoryFolder('/nowhere'), null);
  });

  it('goes with its process, at its end and by a signal', { skip }, async () => {
    for (const end of ['end', 'SIGINT', 'SIGTERM'] as const) {
      const { child, folder } = await started();
      assert.ok(existsSync(folder), folder);
      if (end === 'end') child.stdin?.end();
      else child.kill(end);
      await once(child, 'exit');
      assert.ok(!existsSync(folder), end);
    }
  });
});
