// A rate calculated from monotonic counters: the difference of two readings.
import { useEffect, useRef, useState } from 'react';

/**
 * @param count current value; undefined: unknown
 * @param at time of the reading, RFC 3339
 * @returns per second; null when there is only one reading, or a process has restarted
 */
export function useRate(count: number | undefined, at: string | undefined): number | null {
  const before = useRef<{ readonly count: number; readonly at: number } | null>(null);
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    if (count === undefined || at === undefined) return;
    const now = { count, at: Date.parse(at) };
    const last = before.current;
    before.current = now;
    if (last === null || now.at <= last.at) return;
    setRate(now.count < last.count ? null : ((now.count - last.count) * 1000) / (now.at - last.at));
  }, [count, at]);
  return rate;
}
