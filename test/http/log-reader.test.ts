// A process whose log nobody reads any more can end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const program = `
  import { createLogger, written } from '${new URL('../../src/http/log.ts', import.meta.url).href}';
  process.stdin.resume();
  process.stdin.on('end', async () => {
    const logger = createLogger('info');
    logger.info('nobody reads this');
    await written(logger);
  });
`;

it('a process that has something to log ends though the reader of its log has gone', { timeout: 60_000 }, async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  child.stderr.destroy();
  await pause(100);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
