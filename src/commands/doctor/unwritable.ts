// Says why a folder cannot be written to.
import { hasCode } from '../../model/error-code.ts';
import type { Finding } from './finding.ts';

/**
 * @param error what the system answered
 * @param purpose what the folder is for, as a clause; null: it need not be said
 */
export function unwritable(
  folder: string,
  error: unknown,
  purpose: string | null,
): Pick<Finding, 'verdict' | 'message' | 'remedy'> {
  if (hasCode(error, 'EROFS'))
    return {
      verdict: 'wrong',
      message: `${folder}${purpose === null ? '' : `, ${purpose},`} is on a file system that is mounted read-only.`,
      remedy: 'Mount it for writing (in a container: a volume of its own), or set DATA_DIR to another folder.',
    };
  return {
    verdict: 'wrong',
    message: `This user may not write to ${folder}${purpose === null ? '' : `, ${purpose}`}.`,
    remedy: 'Give the folder to the user who runs the server, or set DATA_DIR to another one.',
  };
}
