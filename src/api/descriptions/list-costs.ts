// Documents the cost of filters and sorts: which are served by an index, and which are slow.
import { textBlock } from '../../model/text-block.ts';
import type { Resource } from '../../model/resource.ts';
import { maxLookupValues } from '../../store/access-path.ts';
import { fieldAccess, type FieldAccess } from '../../store/field-access.ts';
import { maxLookedUp } from '../../store/lookups.ts';

const fewRecords = maxLookedUp.toLocaleString('en');

/** The paragraph after the filter rules. */
export function filterCosts(resource: Resource): string {
  const quick = selectors(resource, ({ value }) => value === 'index');
  const spans = selectors(resource, ({ span }) => span === 'index');
  const found = selectors(resource, ({ value, span }) => value === 'few' || span === 'few');
  const sorted = selectors(resource, ({ sortedSpan }) => sortedSpan === 'index');
  const slow = slowFilters(resource);
  return [
    'However many records there are, an index serves, without `sort`:',
    '',
    `- a value of ${listed(quick)}, or up to ${maxLookupValues} of one of them, and no other condition;`,
    ...(spans.length === 0
      ? []
      : [`- a span of ${listed(spans)} (\`=ge=\`, \`=lt=\`, a day), and no other condition;`]),
    ...(found.length === 0
      ? []
      : [
          textBlock`
            - values, a span or a beginning of one of ${listed(found)} with any other conditions, in any order, where no
            more than ${fewRecords} records fit in that one; more are slow;
          `,
        ]),
    '- with `sort` by one field, a value, a span or a beginning of the same field, and no other condition: of ' +
      `${listed(sorted)};`,
    ...(resource.storage === 'images'
      ? []
      : [`- what was written after a \`Sync-Cursor\`, up to ${fewRecords} changes, unless a condition is dotted.`]),
    '',
    textBlock`
      Anything else is **slow**: it may look at all records, waits in the queue for long reads, a few at a time, and is
      ended after \`MAX_LONG_READ_SECONDS\` with 503. Slow are filters by ${listed(slow)}${slowSpans(resource)}.
    `,
  ].join('\n');
}

/** The paragraph after the sort rules. */
export function sortCosts(resource: Resource): string {
  const quick = selectors(resource, ({ sort }) => sort === 'index');
  const slow = slowSorts(resource);
  return textBlock`
    However many records there are, an index serves a sort by one of ${listed(quick)}, either way. **Slow**, in the
    queue for long reads, are those by ${listed(slow)}, and any by several fields.
  `;
}

function slowSpans(resource: Resource): string {
  const fields = selectors(resource, ({ value, span }) => value === 'index' && span === 'many');
  return fields.length === 0 ? '' : `; and those by ${listed(fields)} that ask for a span`;
}

/** The fields on which every filter is slow. */
export function slowFilters(resource: Resource): readonly string[] {
  return selectors(resource, ({ value, span }) => value === 'many' && span === 'many');
}

/** The fields on which every sort is slow. */
export function slowSorts(resource: Resource): readonly string[] {
  return selectors(resource, ({ sort }) => sort !== null && sort !== 'index');
}

function selectors(resource: Resource, fits: (access: FieldAccess) => boolean): readonly string[] {
  return [...fieldAccess(resource)].filter(([, access]) => fits(access)).map(([selector]) => selector);
}

function listed(fields: readonly string[]): string {
  return fields.map((field) => `\`${field}\``).join(', ');
}
