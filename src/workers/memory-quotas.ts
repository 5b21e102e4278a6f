// What all workers together have taken of quotas that are not worth a write to storage.
import type { QuotaRequest, QuotaShare, UnusedShare } from '../model/quota.ts';

interface MemoryQuotas {
  take(request: QuotaRequest): QuotaShare;
  giveBack(unused: readonly UnusedShare[]): void;
}

interface QuotaWindow {
  used: number;
  readonly end: number;
}

/** Windows that are kept; beyond that, those that began first are forgotten. */
const maxKept = 50_000;

/** @param now milliseconds of a monotonic clock */
export function createMemoryQuotas(now: () => number = () => performance.now()): MemoryQuotas {
  /** In order of their beginnings. */
  const windows = new Map<string, QuotaWindow>();
  const open = (key: string, windowMs: number, at: number): QuotaWindow => {
    const opened = { used: 0, end: at + windowMs };
    windows.delete(key);
    windows.set(key, opened);
    for (const [name, { end }] of windows) {
      if (windows.size <= maxKept && end > at) break;
      windows.delete(name);
    }
    return opened;
  };
  return {
    take: ({ kind, costKey, quota, windowMs, wanted }) => {
      const at = now();
      const key = keyOf(kind, costKey);
      const known = windows.get(key);
      const window = known !== undefined && known.end > at ? known : open(key, windowMs, at);
      const granted = Math.max(0, Math.min(wanted, quota - window.used));
      window.used += granted;
      return { granted, used: window.used, windowEnd: window.end, endsInMs: window.end - at };
    },
    giveBack: (unused) => {
      for (const { kind, costKey, windowEnd, amount } of unused) {
        const window = windows.get(keyOf(kind, costKey));
        if (window?.end === windowEnd) window.used = Math.max(0, window.used - amount);
      }
    },
  };
}

function keyOf(kind: string, costKey: string): string {
  return JSON.stringify([kind, costKey]);
}
