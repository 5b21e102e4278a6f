// Quotas that several processes of a test share, in memory: nobody waits for storage, however busy the machine is.
import type { Quotas } from '../../src/model/quota.ts';
import { createMemoryQuotas } from '../../src/workers/memory-quotas.ts';

/** `taken`: how often a share was asked for. */
export function sharedQuotas(): { readonly quotas: Quotas; readonly taken: () => number } {
  const { take, giveBack } = createMemoryQuotas(() => 0);
  let taken = 0;
  return {
    taken: () => taken,
    quotas: {
      take: async (request) => {
        taken += 1;
        return take(request);
      },
      giveBack: async (unused) => giveBack(unused),
    },
  };
}
