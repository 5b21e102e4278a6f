// Counts the open requests of each client.

interface OpenCounts {
  readonly change: (client: string, by: 1 | -1) => void;
  readonly of: (client: string) => number;
  /** Of the client that has most of them. */
  readonly most: () => number;
  /** How many clients have any. */
  readonly clients: () => number;
}

/** No requests of anybody. */
export function createOpenCounts(): OpenCounts {
  const counts = new Map<string, number>();
  let clients = 0;
  return {
    change: (client, by) => {
      const before = counts.get(client) ?? 0;
      const now = before + by;
      if (before === 0) clients += 1;
      if (now === 0) clients -= 1;
      if (now === 0 && counts.size > maxKnown) counts.delete(client);
      else counts.set(client, now);
    },
    of: (client) => counts.get(client) ?? 0,
    most: () => Math.max(0, ...counts.values()),
    clients: () => clients,
  };
}

/** So many clients keep their entry while they have nothing open: with each request, a map would be made anew. */
const maxKnown = 1000;
