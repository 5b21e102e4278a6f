// The English texts of the demonstration page.

export const demonstrationEnglish = {
  demonstration: 'Demonstration',
  demonstrationIntro: 'The invented warehouse of this server: set its clock forward, and let something go wrong.',
  noDemonstration: 'This server has no demonstration, or it is being made anew.',
  demoClock: 'Its clock',
  demoSpeed: 'Speed',
  demoState: 'State',
  demoRuns: 'a server runs it',
  demoStands: 'it stands still: no server runs it, and what is asked for waits',
  deliveredTo: 'Delivered up to',
  demoSeed: 'Filled as of',
  advanceClock: 'Set the clock forward',
  advanceMeaning: 'All that happens meanwhile is delivered. The clock stays ahead; what is asked for is done in turn.',
  oneHour: '+1 hour',
  oneDay: '+1 day',
  sevenDays: '+7 days',
  ownHours: 'Hours, 1 to 168',
  advanceBy: 'Set forward',
  advanceAsked: 'Asked for: {hours|hour|hours}.',
  advances: 'Asked for',
  noAdvances: 'Nothing was asked for yet.',
  askedAt: 'Asked at',
  askedBy: 'By',
  hours: 'Hours',
  fromTo: 'Clock from, to',
  progressOf: 'How far advance {number} is',
  stateWaiting: 'waiting',
  stateRunning: 'running',
  faults: 'What can go wrong',
  faultsMeaning: 'Each happens once, at the next fitting moment: set the clock forward to see it at once.',
  letHappen: 'Let it happen',
  letHappenOf: 'Let it happen: {fault}',
  faultAsked: 'Asked for: {fault} of {activity}.',
  faultWaits: 'waits: {activities}',
  whereSeen: 'Where it shows',
  happened: 'What happened',
  nothingHappened: 'Nothing that was asked for has happened yet.',
  comesNext: 'What comes next',
  'fault-late-image':
    'The next stock image comes at nine in place of four: until then the stock is that of the day before.',
  'fault-misdated-image':
    'An image is taken after the trucks were loaded and says an hour earlier: the reconciliation up to ' +
    'it finds what was loaded.',
  'fault-lost-movement': 'A movement never comes: the reconciliation names a place where one is missing.',
  'fault-late-movement':
    'A shipment is booked after the next image: the reconciliation up to it finds a late movement, ' +
    'across it nothing.',
  'fault-lost-grade-change':
    'Of two movements that block goods one never comes: the reconciliation finds a change of grade without its pair.',
  'fault-movement-without-direction':
    'A movement says neither in nor out: the reconciliation does not count it, and finds a difference.',
  'fault-duplicate-message': 'A message comes twice: the second one is a duplicate, and no list changes.',
  'fault-out-of-order': 'A message of orders comes after a later one: its older records are refused lines.',
  'fault-short-pick': 'A piece is not found: the preparation report of the order says less than was ordered.',
  'fault-damaged-reception':
    'A part of what is received is damaged: two movements block it, and its grade is DAM in the image.',
  'fault-carrier-down': 'The sandbox carrier is away for ten minutes: labels answer 502, and tracking of new parcels.',
} as const;
