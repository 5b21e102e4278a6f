// The built-in carrier: it works without any other machine, prints labels that can be scanned, and its parcels move by
// themselves.
import { textBlock } from '../../model/text-block.ts';
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type CarrierExchange,
  type LabelTask,
  type ParcelTask,
  type CarrierRequest,
  reasonAt,
} from '../carrier.ts';
import { type DryRunTask, ownList, takenSentence, voidedSentence, type VoidTask } from '../desk.ts';
import { parcelNumbers } from '../label-outputs.ts';
import { outputOf } from '../label-rules.ts';
import type { PickupPoint, PointTask } from '../points.ts';
import type { Tracking } from '../../model/shipping.ts';
import { checkRequest } from './rules.ts';
import { contentsOf } from './label/content.ts';
import { pointsNear } from './points.ts';
import { trackingOf } from './tracking.ts';
import { labelTriggers, late, pull, trackingTriggers, triggerIn, voidTriggers } from './triggers.ts';

const outputs = { PdfUrl: ['10x15', 'A4', 'A5'], ZplCode: ['Generic_ZPL_10x15_200dpi'], PngImage: ['10x15'] } as const;

/** What it does, and every word that makes it fail: docs/carriers/sandbox.md. */
export const sandbox: Carrier = {
  name: 'sandbox',
  title: 'Sandbox',
  settings: [
    {
      name: 'companyPrefix',
      meaning: textBlock`
          GS1 company prefix of the parcel numbers, 7 to 9 digits; 952 at its start is reserved for demonstrations. No
          number is given twice with a prefix, whichever accounts it has.
        `,
      otherwise: '9520000',
      pattern: '\\d{7,9}',
    },
    {
      name: 'speed',
      meaning: 'How many times faster than a real carrier parcels move: 1 takes days, 1440 minutes.',
      otherwise: '1',
      pattern: '[1-9]\\d{0,4}',
    },
    {
      name: 'downUntil',
      meaning: textBlock`
          Instant, in milliseconds since 1970, until which the carrier answers as if it could not be reached: for trying
          that out.
        `,
      otherwise: '0',
      pattern: '\\d{1,15}',
    },
    {
      name: 'warehouseClock',
      meaning: textBlock`
          How the clock of the demonstration warehouse runs, which sets it itself: prefix of its parcels, an instant,
          what the clock said then, and its speed. Its parcels move by that clock.
        `,
      otherwise: '',
      pattern: '(\\d{7,9} \\d{1,15} \\d{1,15} \\d{1,5})?',
    },
  ],
  outputs,
  series: ({ settings }) => settings.companyPrefix ?? '',
  origins: () => [],
  check: (request) => checkRequest(request, outputs),
  createLabel,
  fetchLabel,
  track,
  probe,
  desk: { voidLabel, findPoints, dryRun, handover: ownList },
};

/** No requests are made. */
const noRequests: readonly CarrierRequest[] = [];

async function* createLabel(task: LabelTask): CarrierExchange<CarrierLabel> {
  yield* noRequests;
  refuseWhileDown(task.account, task.now);
  const trigger = triggerIn(labelTriggers, task.request);
  if (trigger !== undefined) pull(trigger);
  if (triggerIn([late], task.request) !== undefined)
    await new Promise((resolve) => {
      setTimeout(resolve, late.milliseconds);
    });
  return labelOf(task);
}

/**
 * Prints a label from the request that it was made from: the demonstration warehouse requests its labels without having
 * them drawn.
 */
async function* fetchLabel({ account, expeditionNumber, label, now }: ParcelTask): CarrierExchange<CarrierLabel> {
  yield* noRequests;
  refuseWhileDown(account, now);
  const companyPrefix = [warehousePrefix(account), account.settings.companyPrefix ?? ''].find(
    (prefix) => prefix !== '' && expeditionNumber.startsWith(prefix),
  );
  if (label === null || companyPrefix === undefined) throw unknownParcel();
  const task: LabelTask = {
    account: { settings: { ...account.settings, companyPrefix } },
    request: label.request,
    sequence: Number(expeditionNumber.slice(companyPrefix.length, -1)),
    now: label.createdAt,
  };
  return labelOf(task);
}

async function labelOf(task: LabelTask): Promise<CarrierLabel> {
  const contents = contentsOf(task);
  const [first] = contents;
  if (first === undefined)
    throw new CarrierError('invalid', 'A shipment has one parcel at least.', {
      reasons: [reasonAt('nbPackage', 'out-of-range', 'nbPackage must be 1 or more.')],
    });
  return {
    expeditionNumber: first.expeditionNumber,
    outputs: [...(await drawn(task, contents)), ...parcelNumbers(contents.map(({ sscc }) => sscc))],
  };
}

/** The drawing modules are loaded with the first label: a server that prints none saves the memory. */
const [pdf, zpl, png] = [
  kept(() => import('./label/pdf.ts')),
  kept(() => import('./label/zpl.ts')),
  kept(() => import('./label/png.ts')),
];

/** Importing a module again takes a twentieth of the time of a label. */
function kept<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

async function drawn(
  { request, now }: LabelTask,
  contents: ReturnType<typeof contentsOf>,
): Promise<readonly CarrierOutput[]> {
  const { type: name, format } = outputOf(request, outputs);
  switch (name) {
    case 'PdfUrl': {
      const { pdfLabels } = await pdf();
      return [{ name, kind: 'document', mediaType: 'application/pdf', bytes: await pdfLabels(contents, format, now) }];
    }
    case 'ZplCode': {
      const { zplLabels } = await zpl();
      return [{ name, kind: 'document', mediaType: 'application/zpl', bytes: Buffer.from(await zplLabels(contents)) }];
    }
    case 'PngImage': {
      const { pngLabels } = await png();
      return (await pngLabels(contents)).map((bytes) => ({ name, kind: 'document', mediaType: 'image/png', bytes }));
    }
    default:
      throw new CarrierError('invalid', `There is no output ${name}.`, { reasons: checkRequest(request, outputs) });
  }
}

async function* track({ account, expeditionNumber, label, now }: ParcelTask): CarrierExchange<Tracking> {
  yield* noRequests;
  refuseWhileDown(account, now);
  if (label === null) throw unknownParcel();
  const trigger = triggerIn(trackingTriggers, label.request);
  if (trigger !== undefined) pull(trigger);
  const speed = Number(account.settings.speed ?? '1');
  const clock = warehouseClock(account, expeditionNumber, now);
  return trackingOf({ expeditionNumber, ...label, ...(clock === null ? { now, speed } : { now: clock, speed: 1 }) });
}

/** @throws CarrierError `unavailable` while the account says so */
function refuseWhileDown({ settings }: CarrierAccount, now: number): void {
  if (now < Number(settings.downUntil ?? '0'))
    throw new CarrierError('unavailable', 'The carrier cannot be reached.', { acted: 'no' });
}

/** Judges as creating the label would, including the words that make it fail. */
async function* dryRun({ account, request, now }: DryRunTask): CarrierExchange<string> {
  yield* noRequests;
  refuseWhileDown(account, now);
  const trigger = triggerIn(labelTriggers, request);
  if (trigger !== undefined) pull(trigger);
  return takenSentence('The sandbox');
}

async function* findPoints(task: PointTask): CarrierExchange<readonly PickupPoint[]> {
  yield* noRequests;
  refuseWhileDown(task.account, task.now);
  return pointsNear(task);
}

/** A parcel that has been collected cannot be called back. */
async function* voidLabel(task: VoidTask): CarrierExchange<string> {
  yield* noRequests;
  const { account, expeditionNumber, label, now, parcelNumbers } = task;
  refuseWhileDown(account, now);
  if (label === null) throw unknownParcel();
  const trigger = triggerIn(voidTriggers, label.request);
  if (trigger !== undefined) pull(trigger);
  const clock = warehouseClock(account, expeditionNumber, now);
  const speed = clock === null ? Number(account.settings.speed ?? '1') : 1;
  if (trackingOf({ expeditionNumber, ...label, now: clock ?? now, speed }).status !== '80')
    throw new CarrierError('refused', 'The sandbox has the parcel already: it was collected.', {
      carrierCode: 'SBX-501',
      carrierMessage: 'The parcel has been collected.',
    });
  return voidedSentence('The sandbox', parcelNumbers);
}

function unknownParcel(): CarrierError {
  return new CarrierError('unknown', 'The sandbox knows only parcels whose label was made here.');
}

/** The first digits of the demonstration warehouse's parcel numbers; '': the account has none. */
function warehousePrefix({ settings }: CarrierAccount): string {
  return (settings.warehouseClock ?? '').split(' ')[0] ?? '';
}

/** The time by which a parcel of the demonstration warehouse moves; null: it is none of those. */
function warehouseClock(account: CarrierAccount, expeditionNumber: string, now: number): number | null {
  const prefix = warehousePrefix(account);
  if (prefix === '' || !expeditionNumber.startsWith(prefix)) return null;
  const [, at = 0, clock = 0, speed = 1] = (account.settings.warehouseClock ?? '').split(' ').map(Number);
  return clock + (now - at) * speed;
}

async function* probe(): CarrierExchange<string> {
  yield* noRequests;
  return 'The sandbox works; nobody else is asked.';
}
