// Lets several processes write to one stream without tearing each other's lines.
import type { Readable, Writable } from 'node:stream';

const lineFeed = 10;
/** Limit for one line; a longer one is passed on in parts. */
const maxHeldBytes = 1_048_576;

/**
 * Copies one stream to another in whole lines, including what is left when it ends.
 * @param isAlone while true, nobody else writes, and everything is passed on at once: a prompt, a line that is
 *   rewritten
 */
export function forwardLines(from: Readable, to: Writable, isAlone: () => boolean): void {
  let rest: Buffer[] = [];
  let held = 0;
  const pass = (chunk: Buffer): void => {
    const whole = rest.length === 0 ? chunk : Buffer.concat([...rest, chunk]);
    [rest, held] = [[], 0];
    if (whole.length === 0) return;
    // A slow reader blocks the writer, as it would without us. What cannot be written is lost: no `drain` follows it.
    if (!to.write(whole, () => from.resume())) from.pause();
  };
  from.on('data', (chunk: Buffer) => {
    const end = isAlone() || held + chunk.length > maxHeldBytes ? chunk.length : chunk.lastIndexOf(lineFeed) + 1;
    if (end > 0) pass(chunk.subarray(0, end));
    if (end === chunk.length) return;
    rest.push(chunk.subarray(end));
    held += chunk.length - end;
  });
  // An unfinished line of a process that has ended is a line too.
  from.on('end', () => pass(Buffer.from(held > 0 ? '\n' : '')));
}
