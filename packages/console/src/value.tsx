// A record's value in a form for people.
import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FieldFacts } from './generated/resources.ts';
import { measureOf, useMeasured } from './measures.ts';
import { useTexts } from './texts/texts.ts';

export function Value({ field, value }: { readonly field: FieldFacts; readonly value: unknown }): ReactElement {
  const { say, number, money, instant } = useTexts();
  const measured = useMeasured();
  if (value === null || value === undefined || value === '')
    return (
      <Text span c="dimmed" aria-hidden="true">
        –
      </Text>
    );
  if (typeof value === 'boolean') return <>{say(value ? 'yes' : 'no')}</>;
  if (typeof value === 'number')
    return (
      <span className="number">
        {isName(field) ? String(value) : isMoney(field) ? money(value) : measured(measureOf(field.name), value)}
      </span>
    );
  if (typeof value === 'string')
    return field.kind === 'date-time' ? <time dateTime={value}>{instant(value)}</time> : <span>{value}</span>;
  if (Array.isArray(value)) return <span className="number">{number(value.length)}</span>;
  return <code>{JSON.stringify(value)}</code>;
}

/** Numbers that are identifiers have no thousands separators. */
function isName({ name }: FieldFacts): boolean {
  return /id$/i.test(name);
}

/** Prices and amounts have cents, and no unit of measure: their currency is a field of its own. */
function isMoney({ name }: FieldFacts): boolean {
  const own = name.slice(name.lastIndexOf('.') + 1);
  return /^(unitPrice|articlePrice|standardPrice|totalInvoice|shippingCost)|Amount$/.test(own);
}
