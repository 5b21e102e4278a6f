// The built-in carrier: it works without any other machine, prints labels that can be scanned, and its parcels move by
// themselves.
import { textBlock } from '../../model/text-block.ts';
import {
  type Carrier,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type Conversation,
  type LabelTask,
  type ParcelTask,
  type WireRequest,
  reasonAt,
} from '../carrier.ts';
import { parcelNumbers } from '../label-outputs.ts';
import { outputOf } from '../label-rules.ts';
import type { Tracking } from '../../model/shipping.ts';
import { checkRequest } from './rules.ts';
import { contentsOf } from './label/content.ts';
import { trackingOf } from './tracking.ts';
import { labelTriggers, late, pull, trackingTriggers, triggerIn } from './triggers.ts';

const outputs = { PdfUrl: ['10x15', 'A4', 'A5'], ZplCode: ['Generic_ZPL_10x15_200dpi'], PngImage: ['10x15'] } as const;

/** What it does, and every word that makes it misbehave: docs/carriers/sandbox.md. */
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
  ],
  outputs,
  series: ({ settings }) => settings.companyPrefix ?? '',
  origins: () => [],
  check: (request) => checkRequest(request, outputs),
  createLabel,
  // The label is kept where it was asked for; nothing else knows of it.
  fetchLabel: null,
  track,
  probe,
};

/** Nobody is asked. */
const noRequests: readonly WireRequest[] = [];

async function* createLabel(task: LabelTask): Conversation<CarrierLabel> {
  yield* noRequests;
  const trigger = triggerIn(labelTriggers, task.request);
  if (trigger !== undefined) pull(trigger);
  if (triggerIn([late], task.request) !== undefined)
    await new Promise((resolve) => {
      setTimeout(resolve, late.milliseconds);
    });
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

/** What draws labels is loaded when the first one is asked for: a server that prints none keeps the memory. */
const [pdf, zpl, png] = [
  kept(() => import('./label/pdf.ts')),
  kept(() => import('./label/zpl.ts')),
  kept(() => import('./label/png.ts')),
];

/** Looking a module up again takes a twentieth of the time of a label. */
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

async function* track({ account, expeditionNumber, label, now }: ParcelTask): Conversation<Tracking> {
  yield* noRequests;
  if (label === null) throw new CarrierError('unknown', 'The sandbox knows only parcels whose label was made here.');
  const trigger = triggerIn(trackingTriggers, label.request);
  if (trigger !== undefined) pull(trigger);
  return trackingOf({ expeditionNumber, ...label, now, speed: Number(account.settings.speed ?? '1') });
}

async function* probe(): Conversation<string> {
  yield* noRequests;
  return 'The sandbox works; nobody else is asked.';
}
