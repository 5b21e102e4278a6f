// Checks whether there are labels of which nobody knows whether the carrier made them.
import { textBlock } from '../../model/text-block.ts';
import type { Engine } from '../../store/engine.ts';
import { createLabels } from '../../store/labels.ts';
import type { Finding } from './finding.ts';

/** @param now milliseconds since 1970 */
export async function checkLabels(engine: Engine, now: number): Promise<readonly Finding[]> {
  const count = await createLabels(engine).countUnknown(now);
  if (count === 0) return [];
  const message =
    count === 1
      ? 'There is a label of which nobody knows whether the carrier made it.'
      : `There are ${count} labels of which nobody knows whether the carrier made them.`;
  return [
    {
      subject: 'labels',
      verdict: 'warning',
      message,
      remedy: textBlock`
          See them with ./logistics-connect label list --unknown, ask the carrier, then: ./logistics-connect label
          settle
        `,
    },
  ];
}
