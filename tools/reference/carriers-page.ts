// The reference page on what each carrier supports: the data of `carrier list`.
import { capabilitiesOf, capabilityNames } from '../../src/carriers/capabilities.ts';
import type { Carrier } from '../../src/carriers/carrier.ts';
import { generatedMark, page } from './markdown.ts';

/** @param carriers in the order of the list */
export function carriersPage(carriers: readonly Carrier[]): string {
  const described = carriers.map((carrier) => ({ carrier, capabilities: capabilitiesOf(carrier) }));
  const rows = described.map(({ carrier: { name, outputs }, capabilities }) =>
    row([
      `[\`${name}\`](../carriers/${name}.md)`,
      Object.keys(outputs)
        .map((output) => `\`${output}\``)
        .join(', '),
      ...capabilities.map(({ offered }) => (offered ? 'yes' : 'no')),
    ]),
  );
  const instead = described.flatMap(({ carrier: { title }, capabilities }) =>
    capabilities.flatMap((one) => (one.instead === '' ? [] : [row([title, one.name, one.instead])])),
  );
  return page(
    generatedMark('src/carriers/capabilities.ts'),
    '# What each carrier can do',
    'The same as `./logistics-connect carrier list`; [docs/carriers](../carriers/README.md) has a page for each.',
    [row(['carrier', 'outputs', ...capabilityNames]), rule(capabilityNames.length + 2), ...rows].join('\n'),
    '## What to do where there is no way',
    [row(['carrier', 'what', 'instead']), rule(3), ...instead].join('\n'),
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function rule(columns: number): string {
  return `|${'---|'.repeat(columns)}`;
}
