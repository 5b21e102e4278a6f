// Gauges of disks: how much space is left for the folders of the server.
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

/** A folder of the server, and the name of its series. */
interface Place {
  readonly name: 'data' | 'feeds';
  readonly folder: string;
}

interface DiskMetrics {
  /** Queries the system, and sets the gauges; a folder that does not exist has no series. Never fails. */
  refresh(): Promise<void>;
}

/** The folders in which a server with these settings stores something. */
export function watchedFolders(settings: {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly documentsUrl: string | null;
  readonly feedFolder: string | null;
}): readonly Place[] {
  const { dataDir, databaseUrl, documentsUrl, feedFolder } = settings;
  return [
    ...(databaseUrl === null || documentsUrl === null ? [{ name: 'data', folder: dataDir } as const] : []),
    ...(feedFolder === null ? [] : [{ name: 'feeds', folder: feedFolder } as const]),
  ];
}

/** The gauges of the disks that these folders are on. */
export function createDiskMetrics(registry: Registry, places: readonly Place[]): DiskMetrics {
  const perPlace = { labelNames: ['place'] as const, registers: [registry] };
  const free = new Gauge({
    name: 'logistics_disk_free_bytes',
    help: 'What this user may still write on the disk of a folder: data is DATA_DIR, feeds is FEED_FOLDER.',
    ...perPlace,
  });
  const size = new Gauge({
    name: 'logistics_disk_size_bytes',
    help: 'How large the disk of that folder is.',
    ...perPlace,
  });
  return {
    refresh: async () => {
      for (const { name, folder } of places) {
        const found = await statfs(folder).catch(() => null);
        if (found === null) {
          free.remove({ place: name });
          size.remove({ place: name });
        } else {
          free.set({ place: name }, found.bavail * found.bsize);
          size.set({ place: name }, found.blocks * found.bsize);
        }
      }
    },
  };
}
