// Checks for labels of which it is unknown whether the carrier made them.
import { textBlock } from '../../model/text-block.ts';
import type { Engine } from '../../store/engine.ts';
import { createLabels } from '../../store/labels.ts';
import type { Finding } from './finding.ts';

/** Labels requested when a process was killed are counted at once; a request in progress looks the same. */
export async function checkLabels(engine: Engine): Promise<readonly Finding[]> {
  const count = await createLabels(engine).countDoubtful();
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
          See them with ./logistics-connect label list --unknown. One in the state asked is being asked for now, or was
          when the server was killed. Ask the carrier, then: ./logistics-connect label settle
        `,
    },
  ];
}
