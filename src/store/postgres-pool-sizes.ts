// How many connections a process opens to a PostgreSQL server, and all workers of a server together.

/** The number of connections that a server opens, not counting those for long reads. */
const maxConnections = 10;
/** With fewer, the writes of a worker would wait for its reads. */
const minConnections = 4;

/** The number of connections of one process when several workers form one server. */
export function connectionsOf(workers: number): number {
  return Math.max(minConnections, Math.ceil(maxConnections / workers));
}

/** Beside them, for short reads alone. */
export function shortConnectionsOf(workers: number): number {
  return Math.ceil(connectionsOf(workers) / 2);
}

/** The number of connections that a server of so many workers opens at most. */
export function connectionsWanted(workers: number, maxLongReads: number): number {
  return workers * (connectionsOf(workers) + shortConnectionsOf(workers) + maxLongReads);
}
