// The daily work on the warehouse floor: picking places are replenished, goods are counted, blocked, destroyed and
// assembled, and at night the stock image is taken.
import { dayMs } from '../model/instant.ts';
import { hourMs, imageHour, imageWorkMs, minuteMs } from './calendar.ts';
import { type Bin, CAUSES, free, type Ledger } from './ledger.ts';
import { forgetOrders, isTooOld, planOrders } from './order-life.ts';
import type { ActivityState } from './activity-state.ts';
import { hold } from './quality-control.ts';
import { imageRows } from './stock-image.ts';
import { type NoteText, noteText } from './notes.ts';
import { kitComponents } from './ranges/acme-home.ts';

const lateMs = 5 * hourMs;
/** Hour of an image that states another time, and how much earlier than its true time that is. */
const misdatedHour = 15;
const misdatedMs = 50 * minuteMs;
/** After all other events of the instant, before messages are sent. */
const imageRank = 8;

/** Plans a day, which at its end plans the next one. @param number counts the days of the history */
export function planDay(state: ActivityState, day: number, number: number): void {
  const { events } = state;
  const at = (hour: number, title: NoteText, work: (instant: number) => void, rank = 0): void =>
    events.plan(day + hour * hourMs, () => work(day + hour * hourMs), { title, rank });
  events.plan(day + dayMs, () => planDay(state, day + dayMs, number + 1));
  planOrders(state, day, number);
  at(imageHour, noteText('image-taken', {}), (instant) => takeImage(state, instant), imageRank);
  const weekday = new Date(day).getUTCDay();
  if (weekday === 0) return;
  const loadedAt = day + misdatedHour * hourMs;
  events.plan(loadedAt, () => takeMisdatedImage(state, loadedAt), { rank: imageRank });
  at(6, noteText('picking-places-filled', {}), (instant) => refill(state, instant));
  at(11, noteText('places-counted', {}), (instant) => count(state, instant));
  at(9, noteText('goods-held', {}), (instant) => holdGoods(state, instant));
  if (weekday === 1 || weekday === 4)
    at(15, noteText('damaged-destroyed', {}), (instant) => scrap(state.ledger, instant));
  if (weekday === 2) at(5, noteText('expired-blocked', {}), (instant) => blockExpired(state.ledger, instant));
  if (weekday === 3) at(8, noteText('kits-assembled', {}), (instant) => assembleKits(state, instant));
}

function takeImage(state: ActivityState, at: number): void {
  const { activity, faults, ledger, messages, note } = state;
  ledger.tidy();
  forgetOrders(state, at);
  const isLate = faults.take('late-image', at);
  if (isLate) note(at, noteText('image-late', {}));
  messages.addAll('stock', at + imageWorkMs + (isLate ? lateMs : 0), isLate, () =>
    imageRows(ledger, activity.code, at),
  );
}

/** Only if requested: the image reflects what was loaded in the last hour, though it states an earlier time. */
function takeMisdatedImage({ activity, faults, ledger, messages, note }: ActivityState, at: number): void {
  if (!faults.take('misdated-image', at)) return;
  note(at, noteText('image-misdated', {}));
  messages.addAll('stock', at + imageWorkMs, true, () => imageRows(ledger, activity.code, at - misdatedMs));
}

function refill({ assortment, ledger }: ActivityState, at: number): void {
  for (const item of assortment.all()) {
    if (item.rotation !== 'A') continue;
    const bins = ledger.bins(item);
    const ready = bins.filter((bin) => bin.unit === 'MAI').reduce((sum, bin) => sum + free(bin), 0);
    const reserve = bins
      .filter((bin) => bin.unit === 'RES' && free(bin) > 0)
      .sort((one, other) => (one.deadline ?? 0) - (other.deadline ?? 0))[0];
    if (ready < item.pcb && reserve !== undefined)
      ledger.transfer(at, reserve, { unit: 'MAI' }, Math.min(2 * item.pcb, free(reserve)), CAUSES.refill);
  }
}

/** One place in forty is counted every day; one count in fifty differs, which is three places in a thousand a week. */
function count({ assortment, ledger, random }: ActivityState, at: number): void {
  const items = assortment.all();
  for (let counted = 0; counted < items.length / 40; counted += 1) {
    const bin = ledger.bins(random.pick(items)).find((found) => free(found) > 3);
    if (bin === undefined || bin.item.serialized || !random.chance(0.02)) continue;
    const quantity = random.int(1, 2);
    if (random.chance(0.6)) ledger.take(at, bin, quantity, CAUSES.count);
    else ledger.move(at, bin.item, { ...bin, receivedAt: bin.newestReception }, quantity, CAUSES.count);
  }
}

/** Destroys damaged goods, blocked goods near their deadline, and empty bottles. */
function scrap(ledger: Ledger, at: number): void {
  for (const bin of ledger.all()) {
    const isSpoilt = bin.grade === 'QUA' && isTooOld(bin, at);
    if (bin.quantity > 0 && (bin.grade === 'DAM' || isSpoilt || bin.item.kind === 'empty'))
      ledger.take(at, bin, bin.quantity, CAUSES.scrap);
  }
}

/** Minimum share of all pieces that is blocked: quality control examines goods until it is reached. */
const blockedShare = 0.013;
/** Places tried for it in a day. */
const maxHeldPlaces = 20;

/**
 * Takes whole cartons of the reserve from sale for some weeks, a third of a place at most, so that enough remains;
 * quality control releases most of them.
 */
function holdGoods(state: ActivityState, at: number): void {
  const { assortment, ledger, random } = state;
  let [total, blocked] = [0, 0];
  for (const { quantity, grade } of ledger.all()) {
    total += quantity;
    if (grade !== 'STD') blocked += quantity;
  }
  const reserve = assortment.all().flatMap((item) => ledger.bins(item).filter(isHoldable));
  for (let tried = 0; tried < maxHeldPlaces && reserve.length > 0 && blocked < total * blockedShare; tried += 1) {
    const bin = random.pick(reserve);
    const quantity = Math.floor(free(bin) / bin.item.pcb / 3) * bin.item.pcb;
    hold(state, bin, quantity, at, random.int(14, 28));
    blocked += quantity;
  }
}

function isHoldable(bin: Bin): boolean {
  return bin.unit === 'RES' && !bin.item.serialized && free(bin) >= 3 * bin.item.pcb;
}

function blockExpired(ledger: Ledger, at: number): void {
  for (const bin of [...ledger.all()])
    if (isTooOld(bin, at) && free(bin) > 0) ledger.transfer(at, bin, { grade: 'QUA' }, free(bin), CAUSES.expiry);
}

/** Pieces of a kit assembled at once. */
const kitBatch = 8;

/** Kits are assembled from one piece of each component. */
function assembleKits({ assortment, ledger }: ActivityState, at: number): void {
  const items = assortment.all();
  for (const kit of items.filter((item) => item.kind === 'kit' && !assortment.isDiscontinued(item))) {
    const sources = kitComponents(kit, items).map((item) =>
      ledger.bins(item).find((bin) => free(bin) >= kitBatch && bin.unit === 'MAI'),
    );
    if (sources.includes(undefined)) continue;
    for (const bin of sources) if (bin !== undefined) ledger.take(at, bin, kitBatch, CAUSES.kit);
    const place = { unit: 'MAI', lot: null, grade: 'STD', deadline: null, receivedAt: at };
    ledger.move(at, kit, place, kitBatch, CAUSES.kit);
  }
}
