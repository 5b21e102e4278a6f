// Counts the open requests of each client.

interface OpenCounts {
  readonly change: (client: string, by: 1 | -1) => void;
  readonly of: (client: string) => number;
  /** The largest count of any client. */
  readonly most: () => number;
  /** The number of clients with open requests. */
  readonly clients: () => number;
}

/** An empty set of counts. */
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

/** How many idle clients keep their entry, to avoid creating a map for each request. */
const maxKnown = 1000;
