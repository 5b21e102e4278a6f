// The ways that sandbox parcels can take, as a table, with the words in a label request that select them.

/** One step of a parcel's way. */
export interface Stage {
  /** Working days after the parcel was handed over; Sundays do not count. */
  readonly day: number;
  /** Time of day in France, HH:mm; the parcel is up to so many minutes later. */
  readonly hour: string;
  readonly spread: number;
  readonly status: '80' | '81' | '82' | '83';
  readonly wording: string;
  readonly detail: string;
  readonly where: 'sender' | 'hub' | 'depot' | 'recipient' | 'point';
}

/** A way that a parcel can take, to an address and to a pick-up point. */
interface History {
  /** The word in nDossier or destAddr2; '' is the way of every other parcel. */
  readonly word: string;
  readonly meaning: string;
  readonly home: readonly Stage[];
  readonly point: readonly Stage[];
}

type ToldStep = readonly [
  hour: string,
  spread: number,
  status: Stage['status'],
  where: Stage['where'],
  wording: string,
  detail: string,
];

function stage(day: number, [hour, spread, status, where, wording, detail]: ToldStep): Stage {
  return { day, hour, spread, status, where, wording, detail };
}

const collected = stage(0, ['17:20', 50, '81', 'sender', 'Collected', 'The carrier has the parcel.']);
const sorted = stage(0, ['22:10', 110, '81', 'hub', 'Sorted at the hub', 'The parcel is on its way to the depot.']);
const handedOver = [collected, sorted];

function atDepot(day: number): Stage {
  return stage(day, ['05:10', 70, '81', 'depot', 'Arrived at the depot', 'The parcel is near its destination.']);
}

function onTour(day: number): Stage {
  return stage(day, [
    '08:00',
    45,
    '81',
    'depot',
    'Out for delivery',
    'The parcel is delivered in the course of the day.',
  ]);
}

function delivered(day: number): readonly Stage[] {
  return [
    atDepot(day),
    onTour(day),
    stage(day, ['09:30', 390, '82', 'recipient', 'Delivered', 'The parcel was handed to the recipient.']),
  ];
}

function atPoint(day: number): readonly Stage[] {
  return [
    atDepot(day),
    stage(day, [
      '10:00',
      150,
      '81',
      'point',
      'Available at the pick-up point',
      'The recipient can collect the parcel for seven days.',
    ]),
  ];
}

function pickedUp(day: number): readonly Stage[] {
  return [
    ...atPoint(day),
    stage(day + 1, [
      '10:30',
      480,
      '82',
      'point',
      'Collected by the recipient',
      'The parcel was handed to the recipient.',
    ]),
  ];
}

function sentBack(day: number): readonly Stage[] {
  return [
    stage(day, ['19:00', 60, '83', 'depot', 'On the way back to the sender', 'The parcel is returned.']),
    stage(day + 2, ['10:00', 240, '83', 'sender', 'Returned to the sender', 'The sender has the parcel again.']),
  ];
}

const delayed = stage(1, [
  '04:40',
  40,
  '83',
  'hub',
  'Delayed',
  'The parcel missed its connection and leaves a day later.',
]);
const searched = [
  stage(3, ['09:15', 60, '83', 'hub', 'Parcel not found', 'The parcel is being searched for.']),
  stage(9, ['15:30', 90, '83', 'hub', 'Lost', 'The search has ended; the sender can claim the value.']),
];
const damaged = [
  stage(1, ['02:30', 60, '83', 'hub', 'Damaged', 'The parcel was damaged in sorting and is held back.']),
  ...sentBack(1),
];
const absent = stage(1, [
  '11:00',
  120,
  '83',
  'recipient',
  'Recipient absent',
  'Delivery is tried again on the next working day.',
]);
const unknownAddress = stage(1, [
  '11:00',
  120,
  '83',
  'recipient',
  'Address not found',
  'The parcel goes back to the sender.',
]);
const refused = stage(1, [
  '11:00',
  120,
  '83',
  'recipient',
  'Refused by the recipient',
  'The parcel goes back to the sender.',
]);
const unclaimed = [
  stage(8, ['18:30', 30, '83', 'point', 'Not collected in time', 'The parcel goes back to the sender.']),
  ...sentBack(9),
];

/** The way of every parcel whose request names no other. */
export const usualHistory: History = {
  word: '',
  meaning: 'The parcel arrives on the next working day.',
  home: [...handedOver, ...delivered(1)],
  point: [...handedOver, ...pickedUp(1)],
};

/** Incidents and returns; each label is created like any other. */
export const histories: readonly History[] = [
  {
    word: 'SANDBOX-NOT-HANDED-OVER',
    meaning: 'The carrier never gets the parcel: it stays registered.',
    home: [],
    point: [],
  },
  {
    word: 'SANDBOX-DELAYED',
    meaning: 'The parcel misses its connection and arrives a day later.',
    home: [...handedOver, delayed, ...delivered(2)],
    point: [...handedOver, delayed, ...pickedUp(2)],
  },
  {
    word: 'SANDBOX-LOST',
    meaning: 'The parcel is not found again.',
    home: [...handedOver, ...searched],
    point: [...handedOver, ...searched],
  },
  {
    word: 'SANDBOX-DAMAGED',
    meaning: 'The parcel is damaged and goes back to the sender.',
    home: [...handedOver, ...damaged],
    point: [...handedOver, ...damaged],
  },
  {
    word: 'SANDBOX-ABSENT',
    meaning: 'Home delivery: nobody is there; the second attempt succeeds.',
    home: [...handedOver, atDepot(1), onTour(1), absent, ...delivered(2)],
    point: usualHistory.point,
  },
  {
    word: 'SANDBOX-WRONG-ADDRESS',
    meaning: 'Home delivery: the address is not found; the parcel goes back.',
    home: [...handedOver, atDepot(1), onTour(1), unknownAddress, ...sentBack(1)],
    point: usualHistory.point,
  },
  {
    word: 'SANDBOX-REFUSED',
    meaning: 'Home delivery: the recipient refuses the parcel; it goes back.',
    home: [...handedOver, atDepot(1), onTour(1), refused, ...sentBack(1)],
    point: usualHistory.point,
  },
  {
    word: 'SANDBOX-UNCLAIMED',
    meaning: 'Pick-up point: nobody collects the parcel; it goes back.',
    home: usualHistory.home,
    point: [...handedOver, ...atPoint(1), ...unclaimed],
  },
];
