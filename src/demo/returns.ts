// Returns: pieces that customers do not want, whole orders that could not be delivered, empty bottles.
import { dayMs } from '../model/instant.ts';
import { hourMs } from './calendar.ts';
import { type Bin, CAUSES, type StockAttributes } from './ledger.ts';
import type { PickedLine } from './order-life.ts';
import type { Order } from './placed-orders.ts';
import type { ActivityState } from './activity-state.ts';
import { noteText } from './notes.ts';

/** Plans the returns of a shipment that leaves now. */
export function planReturns(state: ActivityState, order: Order, picked: readonly PickedLine[], at: number): void {
  const { random } = state;
  const isReturned = order.incident === 'SANDBOX-UNCLAIMED' || order.incident === 'SANDBOX-WRONG-ADDRESS';
  const backAt = at + random.int(7, 15) * dayMs - random.int(1, 7) * hourMs;
  for (const { bin, quantity } of picked) {
    if (isReturned) planReturn(state, bin, quantity, backAt);
    else if (!order.business && random.chance(0.08)) planReturn(state, bin, 1, backAt);
  }
  if (order.business) planEmpties(state, picked, at + random.int(14, 30) * dayMs + random.int(0, 7) * hourMs);
}

/** Returned goods are inspected on the next day. Food and drink are not sold again. */
function planReturn({ events, ledger, random }: ActivityState, from: Bin, quantity: number, at: number): void {
  events.plan(
    at,
    () => {
      const place = { unit: 'RET', lot: from.lot, grade: 'RET', deadline: from.deadline, receivedAt: at };
      const returned = ledger.move(at, from.item, place, quantity, CAUSES.customerReturn);
      const checkedAt = at + dayMs;
      const isSound = from.item.shelfLife === null && from.item.alcohol === null && random.chance(0.75);
      events.plan(checkedAt, () => {
        if (isSound) ledger.transfer(checkedAt, returned, { unit: 'MAI', grade: 'STD' }, quantity, CAUSES.resale);
        else ledger.transfer(checkedAt, returned, { grade: 'DAM' }, quantity, CAUSES.damage);
      });
    },
    { title: noteText('pieces-returned', { quantity, articleReference: from.item.reference }) },
  );
}

/** Shops return most bottles for their deposit. */
function planEmpties({ events, assortment, ledger }: ActivityState, picked: readonly PickedLine[], at: number): void {
  for (const size of ['SMALL', 'LARGE']) {
    const item = assortment.find(`EMPTY-${size}`);
    const deposit = item?.deposit ?? null;
    const bottles = picked.filter(({ line }) => deposit !== null && line.item.deposit === deposit);
    const quantity = Math.floor(bottles.reduce((sum, found) => sum + found.quantity, 0) * 0.8);
    if (item === null || quantity === 0) continue;
    const place: StockAttributes = { unit: 'RET', lot: null, grade: 'RET', deadline: null, receivedAt: at };
    events.plan(at, () => ledger.move(at, item, place, quantity, CAUSES.customerReturn), {
      title: noteText('empties-returned', { quantity }),
    });
  }
}
