// Whether a process of this machine is still there.
import { hasCode } from './error-code.ts';

/** Whether a process with this id is running, also one of another user, which may not be sent signals. */
export function isRunning(processId: number): boolean {
  try {
    // Signal 0 is not sent: it only asks.
    return process.kill(processId, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
