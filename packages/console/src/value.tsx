// A record's value in a form for people.
import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FieldFacts } from './generated/resources.ts';
import { measureOf, useMeasured } from './measures.ts';
import { useTexts } from './texts/texts.ts';

export function Value({ field, value }: { readonly field: FieldFacts; readonly value: unknown }): ReactElement {
  const { say, number, instant } = useTexts();
  const measured = useMeasured();
  if (value === null || value === undefined || value === '')
    return (
      <Text span c="dimmed" aria-hidden="true">
        –
      </Text>
    );
  if (typeof value === 'boolean') return <>{say(value ? 'yes' : 'no')}</>;
  if (typeof value === 'number')
    return <span className="number">{isName(field) ? String(value) : measured(measureOf(field.name), value)}</span>;
  if (typeof value === 'string')
    return field.kind === 'date-time' ? <time dateTime={value}>{instant(value)}</time> : <span>{value}</span>;
  if (Array.isArray(value)) return <span className="number">{number(value.length)}</span>;
  return <code>{JSON.stringify(value)}</code>;
}

/** Numbers that are identifiers have no thousands separators. */
function isName({ name }: FieldFacts): boolean {
  return /id$/i.test(name);
}
