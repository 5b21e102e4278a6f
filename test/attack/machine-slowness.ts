// How much slower the processor is than the one that the bounds of the attacks were found on, at what a server does.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** Milliseconds of processor time that the work takes there. */
const usualMs = 9;

/** 1 or more. By processor time, the least of some tries: that other programs are busy too does not count here. */
export const machineSlowness = Math.max(1, Math.min(...Array.from({ length: 15 }, workMs)) / usualMs);

function workMs(): number {
  const before = process.cpuUsage();
  const records = Array.from({ length: 4000 }, (_none, index) => ({ index, text: `record ${index}`, some: [index] }));
  const text = JSON.stringify(JSON.parse(JSON.stringify(records)));
  createHash('sha256').update(text.repeat(20)).digest('hex');
  gzipSync(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
