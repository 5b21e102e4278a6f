// The messages of `node:cluster` between a supervisor and its workers, as far as this program uses them.

/** A message of `node:cluster`: its subject, its number, and the number of the message that it answers. */
interface OfCluster {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
  /** In an answer: whether a connection was accepted. */
  readonly accepted?: unknown;
}

export function isOfCluster(message: unknown): message is OfCluster {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER';
}

/** Tells `node:cluster` that a connection was accepted: it closes its own end, and continues with the next. */
export function takenAnswer(number: unknown): OfCluster {
  return Object.assign({ cmd: 'NODE_CLUSTER' }, { ack: number, accepted: true });
}
