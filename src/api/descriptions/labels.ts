// What the reference page tells of making a label: contexts, outputs, keys, and the words that the built-in carrier
// listens to.
import type { CarrierErrorKind } from '../../carriers/carrier.ts';
import { histories } from '../../carriers/sandbox/histories.ts';
import { collectionModes, deliveryModes, type Mode } from '../../carriers/sandbox/modes.ts';
import { labelTriggers, trackingTriggers } from '../../carriers/sandbox/triggers.ts';
import { problems } from '../../model/problem.ts';
import { problemOf } from '../shipping/carrier-problems.ts';
import { senderPlace } from '../shipping/label-request.ts';

/** The description of `POST /shippings/labels/{context}/{carrier}` in CommonMark. */
export const createLabelText = `Asks a carrier for a label. 200 means that the label exists.

**Where.** \`context\` is an account of one of your activities at a carrier, \`carrier\` is the name of that carrier; whoever runs the
service tells you both. The demonstration has the contexts \`acm\` and \`bio\`, each at the carrier \`sandbox\`, which works offline.

**What.** Which fields are needed and what the coded ones may say is the carrier's matter. A context may preset the sender:
what your request leaves out is taken from there. Where the sender is counts as one: a request that gives one of
${senderPlace.map((name) => `\`${name}\``).join(', ')} gives all of that address, and nothing of it is taken from the context.

**What you get.** \`outputType\` asks for it. \`PdfUrl\`, the default, is a link to the PDF: it needs no token, nobody can guess it, and
it ends after the days that whoever runs the service has set (90 unless told otherwise). \`ZplCode\`, \`PngImage\` and other types
without \`Url\` at the end are base64. What else a carrier gives, such as \`ParcelNumber\`, is text. With several parcels there may be
an output for each. \`expeditionNumber\` is the \`id\` for fetching and tracking.

**Once.** A parcel costs money: send an \`Idempotency-Key\`, such as a new UUID. The same request with the same key never makes a
second parcel. Unlike the answers of other requests, the key of a label does not end with the day: the label is answered as
long as it is kept, and later the key is refused (422 \`idempotency-key-reused\`). After 502 or 504 nobody may know whether
there is a parcel; \`detail\` then says so, and the same key is answered 504 until whoever runs the service has found out.
Without a key, a request that equals an earlier one in everything and has an \`nDossier\` is answered with the header
\`Label-Duplicates\`, which names a label of the earlier one.

**Limits.** A context may have a limit of labels for each day, from midnight to midnight in UTC: 429 \`quota-exceeded\`, and
\`Retry-After\` leads to the next day. Labels that the carrier refused do not count.

**The carrier \`sandbox\`** takes \`modeCol\` ${codes(collectionModes)}, \`modeLiv\` ${codes(deliveryModes)};
\`PdfUrl\` in \`10x15\`, \`A4\` or \`A5\`, \`ZplCode\` for 203 dpi, and \`PngImage\`. Put one of these words into \`nDossier\` or \`destAddr2\` to
try errors and incidents out.

| word | what happens | answer |
| --- | --- | --- |
${labelTriggers.map(({ word, meaning, kind, code }) => row(word, meaning, `${statusOf(kind)}${code === null ? '' : `, \`${code}\``}`)).join('\n')}
${trackingTriggers.map(({ word, meaning, kind }) => row(word, meaning, `the label is made; tracking answers ${statusOf(kind)}`)).join('\n')}
${histories.map(({ word, meaning }) => row(word, meaning, 'the label is made; see its tracking')).join('\n')}
`;

/** Codes with their names. */
function codes(modes: Readonly<Record<string, Mode>>): string {
  return Object.entries(modes)
    .map(([code, { name }]) => `\`${code}\` (${name.toLowerCase()})`)
    .join(', ');
}

function row(word: string, meaning: string, answer: string): string {
  return `| \`${word}\` | ${meaning} | ${answer} |`;
}

function statusOf(kind: CarrierErrorKind): string {
  const slug = problemOf[kind];
  return `${problems[slug].status} \`${slug}\``;
}
