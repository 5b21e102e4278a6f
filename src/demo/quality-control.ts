// Goods taken from sale: damaged ones for good, others until quality control has decided.
import { dayMs } from '../model/instant.ts';
import { type Bin, CAUSES, free } from './ledger.ts';
import type { ActivityState } from './activity-state.ts';

/** Blocks pieces as damaged, as far as they are still available then. */
export function blockDamaged({ events, ledger }: ActivityState, bin: Bin, wanted: number, at: number): void {
  events.plan(at, () => {
    const quantity = Math.min(wanted, free(bin));
    if (quantity > 0) ledger.transfer(at, bin, { grade: 'DAM' }, quantity, CAUSES.damage);
  });
}

/** Blocks pieces for quality control, as far as they are still available then; it decides some days later. */
export function hold(
  { events, ledger, random }: ActivityState,
  bin: Bin,
  wanted: number,
  at: number,
  days: number,
): void {
  events.plan(at, () => {
    const quantity = Math.min(wanted, free(bin));
    if (quantity <= 0) return;
    const blocked = ledger.transfer(at, bin, { grade: 'QUA' }, quantity, CAUSES.quarantine);
    const releasedAt = at + days * dayMs;
    events.plan(releasedAt, () => {
      // They may have been destroyed meanwhile, because their deadline had passed.
      if (blocked.quantity < quantity) return;
      if (random.chance(0.9)) ledger.transfer(releasedAt, blocked, { grade: 'STD' }, quantity, CAUSES.release);
      else ledger.transfer(releasedAt, blocked, { grade: 'DAM' }, quantity, CAUSES.damage);
    });
  });
}
