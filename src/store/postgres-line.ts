// The line to a PostgreSQL server, such that whatever is asked on one that is ending fails, and is never taken for answered.
import { Socket } from 'node:net';

/** Where servers are, as the driver has read it from the address: lists of the same length, or a socket file. */
export interface Targets {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/** Makes what opens lines, to one server after the other where there are several. */
export function lineOpener(): (targets: Targets) => Socket {
  let count = 0;
  return ({ host: hosts, port: ports, path }) => {
    const index = count % Math.max(hosts.length, 1);
    count += 1;
    const [host = 'localhost', port = 5432] = [hosts[index], ports[index]];
    // The driver names them in its errors, and checks certificates by the first.
    const line = Object.assign(new Line(), { host, port });
    // It listens to the line a moment later.
    setImmediate(() => (path !== false ? line.connect(path) : line.connect(port, host)));
    return line;
  };
}

/**
 * A line never says of its end that there was an error, which it has told before. The driver passes over what it was asked between
 * the two where the end says so: the question hangs, and when the driver opens the connection again it takes it for answered.
 */
class Line extends Socket {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    return super.emit(event, ...(event === 'close' ? [false] : values));
  }
}
