// A process that takes what lies in a feed folder and is killed at one of its steps, as by kill -9:
//   node test/feeds/folder/killed.ts DATA_DIR ROOT STEP
// Steps are counted before and after each change of the file system and of storage. Without a step it runs to its end.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [dataDir = '', root = '', at = '0'] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(at)) process.kill(process.pid, 'SIGKILL');
}

/** The same operation, with a step before and one behind it. */
function stepped<Args extends readonly unknown[], Result>(
  operation: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    step();
    const result = await operation(...args);
    step();
    return result;
  };
}

const { rename, unlink, mkdir, open } = fs.promises;
Object.assign(fs.promises, {
  rename: stepped(rename),
  unlink: stepped(unlink),
  mkdir: stepped(mkdir),
  open: (...args: Parameters<typeof open>) =>
    typeof args[1] === 'number' && (args[1] & fs.constants.O_CREAT) !== 0 ? stepped(open)(...args) : open(...args),
});
syncBuiltinESMExports();

const { takeFiles } = await import('./take-files.ts');

console.log(await takeFiles(dataDir, root, stepped));
console.log('steps', steps);
