// Where a sandbox parcel is: a function of its label, its creation time, and now.
import { hash } from 'node:crypto';
import type { LabelRequest, Tracking, TrackingStep } from '../../model/shipping.ts';
import { dayAndHour, instantOf, wallClock } from '../paris-time.ts';
import { histories, type Stage, usualHistory } from './histories.ts';
import { deliveryModes } from './modes.ts';
import { triggerIn } from './triggers.ts';

/** A parcel to track. */
export interface TrackedParcel {
  readonly expeditionNumber: string;
  readonly request: LabelRequest;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly now: number;
  /** How many times faster than a real carrier the parcel moves. */
  readonly speed: number;
}

/** The way of a parcel until now, in French local time. */
export function trackingOf(parcel: TrackedParcel): Tracking {
  const { request, createdAt, now, speed } = parcel;
  const passed = scheduleOf(parcel)
    .map(({ stage, at }) => ({ stage, at: createdAt + (at - createdAt) / speed }))
    .filter(({ at }) => at <= now);
  const last = passed.at(-1)?.stage ?? registered;
  const isPoint = goesToPoint(request);
  return {
    status: last.status,
    wording1: wordingOf(last, request),
    wording2: last.detail,
    relayWording: isPoint ? `Sandbox pick-up point ${request.shippingPickupPoint}` : '',
    relayNumber: isPoint ? request.shippingPickupPoint : '',
    steps: [{ stage: registered, at: createdAt }, ...passed].map(({ stage, at }) => stepOf(stage, at, request)),
  };
}

const registered: Stage = {
  day: 0,
  hour: '',
  spread: 0,
  status: '80',
  wording: 'Registered',
  detail: 'The carrier waits for the parcel.',
  where: 'sender',
};

interface Scheduled {
  readonly stage: Stage;
  readonly at: number;
}

const [minute, hour] = [60_000, 3_600_000];
const day = 24 * hour;
/** Parcels registered later in the day are handed over on the next. */
const closing = 16 * hour;

/** Every step after the registration, with its time at the speed of a real carrier. */
function scheduleOf({ expeditionNumber, request, createdAt }: TrackedParcel): readonly Scheduled[] {
  const history = triggerIn(histories, request) ?? usualHistory;
  const created = wallClock(createdAt);
  const midnight = created - (created % day);
  const handOver = workingDay(created - midnight < closing ? midnight : midnight + day, 0);
  return history[goesToPoint(request) ? 'point' : 'home'].map((stage, index) => {
    const [hours = 0, minutes = 0] = stage.hour.split(':').map(Number);
    const late = Math.floor(stage.spread * share(`${expeditionNumber} ${index}`));
    return { stage, at: instantOf(workingDay(handOver, stage.day) + hours * hour + (minutes + late) * minute) };
  });
}

/** The day so many working days after a day, which itself may be a Sunday. */
function workingDay(from: number, after: number): number {
  let at = from;
  for (let left = after; ; at += day) {
    if (new Date(at).getUTCDay() === 0) continue;
    if (left === 0) return at;
    left -= 1;
  }
}

/** A number from 0 to 1, always the same for the same text. */
function share(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16) / 2 ** 32;
}

function goesToPoint({ modeLiv }: LabelRequest): boolean {
  return deliveryModes[modeLiv]?.point === true;
}

/** A return ends with its sender, who is the recipient of its label. */
function wordingOf({ wording }: Stage, { modeLiv }: LabelRequest): string {
  return modeLiv === 'LCC' && wording === 'Delivered' ? 'Return delivered' : wording;
}

function stepOf(stage: Stage, at: number, request: LabelRequest): TrackingStep {
  const isPoint = stage.where === 'point';
  const places: Readonly<Record<Stage['where'], string>> = {
    sender: request.expCity,
    hub: 'Sandbox hub',
    depot: `Sandbox depot ${request.destCity}`,
    recipient: request.destCity,
    point: request.destCity,
  };
  return {
    wording: wordingOf(stage, request),
    ...dayAndHour(at),
    location: places[stage.where],
    relayId: isPoint ? request.shippingPickupPoint : '',
    relayCountry: isPoint ? request.shippingPickupPointCountry : '',
  };
}
