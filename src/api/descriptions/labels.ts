// The reference documentation of making a label: contexts, outputs, keys, and the special words of the built-in
// carrier. The text is create-label.md.
import type { CarrierErrorKind } from '../../carriers/carrier.ts';
import { histories } from '../../carriers/sandbox/histories.ts';
import { collectionModes, deliveryModes, type Mode } from '../../carriers/sandbox/modes.ts';
import { labelTriggers, trackingTriggers } from '../../carriers/sandbox/triggers.ts';
import { markdownPage } from '../../http/markdown-page.ts';
import { problems } from '../../model/problem.ts';
import { carrierProblemSlugs } from '../../shipping/carrier-problems.ts';
import { senderPlace } from '../../shipping/label-request.ts';

/** The description of `POST /shippings/labels/{context}/{carrier}` in CommonMark. */
export const createLabelText = markdownPage(new URL('create-label.md', import.meta.url), {
  senderFields: senderPlace.map((name) => `\`${name}\``).join(', '),
  collectionModes: codes(collectionModes),
  deliveryModes: codes(deliveryModes),
  labelTriggers: labelTriggers
    .map(({ word, meaning, kind, code }) =>
      row(word, meaning, `${statusOf(kind)}${code === null ? '' : `, \`${code}\``}`),
    )
    .join('\n'),
  trackingTriggers: trackingTriggers
    .map(({ word, meaning, kind }) => row(word, meaning, `the label is made; tracking answers ${statusOf(kind)}`))
    .join('\n'),
  histories: histories.map(({ word, meaning }) => row(word, meaning, 'the label is made; see its tracking')).join('\n'),
});

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
  const slug = carrierProblemSlugs[kind];
  return `${problems[slug].status} \`${slug}\``;
}
