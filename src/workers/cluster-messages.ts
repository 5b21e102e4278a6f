// What `node:cluster` writes between a supervisor and its workers, as far as this program looks at it.

/** A message of `node:cluster`: what it is about, its number, and the number of the one that it answers. */
interface OfCluster {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
  /** Of an answer: whether a connection was taken. */
  readonly accepted?: unknown;
}

export function isOfCluster(message: unknown): message is OfCluster {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER';
}

/** Says to `node:cluster` that a connection was taken: it closes its own end, and goes on to the next. */
export function takenAnswer(number: unknown): OfCluster {
  return Object.assign({ cmd: 'NODE_CLUSTER' }, { ack: number, accepted: true });
}
