// Explains failures of the address to listen on.
import type { Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';

/** Runs work that needs the address to listen on, and explains its failures. */
export async function explainListenFailure<T>({ host, port }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE')
      throw new OperatorError(
        `Port ${port} on ${host} is in use, perhaps by this program.`,
        'Stop what uses it, or set PORT to another one.',
        { cause: error },
      );
    if (code === 'EACCES')
      throw new OperatorError(`This user may not listen on port ${port}.`, 'Set PORT to 1024 or more.', {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new OperatorError(
        `${host} is no address of this machine.`,
        'Set HOST to 127.0.0.1, to 0.0.0.0, or to an address of this machine.',
        { cause: error },
      );
    throw error;
  }
}
