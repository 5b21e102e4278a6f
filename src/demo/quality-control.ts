// Goods taken from sale: damaged ones for good, others until quality control has decided.
import { dayMs } from '../model/instant.ts';
import { type Bin, CAUSES, free } from './ledger.ts';
import type { Site } from './site.ts';

/** Blocks pieces as damaged, as far as they are still available then. */
export function blockDamaged({ agenda, ledger }: Site, bin: Bin, wanted: number, at: number): void {
  agenda.plan(at, () => {
    const quantity = Math.min(wanted, free(bin));
    if (quantity > 0) ledger.transfer(at, bin, { grade: 'DAM' }, quantity, CAUSES.damage);
  });
}

/** Blocks pieces for quality control, as far as they are still available then; it decides some days later. */
export function hold({ agenda, ledger, random }: Site, bin: Bin, wanted: number, at: number, days: number): void {
  agenda.plan(at, () => {
    const quantity = Math.min(wanted, free(bin));
    if (quantity <= 0) return;
    const blocked = ledger.transfer(at, bin, { grade: 'QUA' }, quantity, CAUSES.quarantine);
    const releasedAt = at + days * dayMs;
    agenda.plan(releasedAt, () => {
      // They may have been destroyed meanwhile, because their deadline had passed.
      if (blocked.quantity < quantity) return;
      if (random.chance(0.9)) ledger.transfer(releasedAt, blocked, { grade: 'STD' }, quantity, CAUSES.release);
      else ledger.transfer(releasedAt, blocked, { grade: 'DAM' }, quantity, CAUSES.damage);
    });
  });
}
