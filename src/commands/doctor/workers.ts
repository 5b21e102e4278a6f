// Checks how many processes will serve requests.
import { textBlock } from '../../model/text-block.ts';
import type { Finding } from './finding.ts';

/**
 * @param workers as configured; null: as many as are suitable
 * @param processors available to this process
 */
export function checkWorkers(workers: number | null, processors: number): readonly Finding[] {
  if (workers === null || workers <= processors) return [];
  return [
    {
      subject: 'workers',
      verdict: 'warning',
      message: textBlock`
        WORKERS is ${workers}, and this machine has ${processors} ${processors === 1 ? 'processor' : 'processors'} for
        them: each of them takes some 100 MB, and those beyond bring nothing.
      `,
      remedy: 'Leave WORKERS out: there is then one for each processor, 4 at most.',
    },
  ];
}
