// The part of a disk that is left free by documents of clients and by copies of messages: the database on the same disk
// must still be able to write.
import { statfs } from 'node:fs/promises';

/** Bytes of the disk that a folder is on. */
interface Disk {
  readonly free: number;
  readonly size: number;
}

/** Whichever is less. */
const reserveBytes = 1_073_741_824;
const reserveShare = 0.05;

export async function diskOf(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** @throws Error when less than the reserve is free */
export function requireReserve({ free, size }: Disk, folder: string): void {
  const reserve = Math.min(reserveBytes, size * reserveShare);
  if (free >= reserve) return;
  const [left, kept] = [free, reserve].map((bytes) => Math.floor(bytes / 1_048_576));
  throw new Error(`the disk of ${folder} has ${left} MiB left: what arrives leaves ${kept} MiB to the database`);
}
