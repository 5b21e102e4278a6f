// Filters of the lists behind the figures.
import { filterText } from '../list/filter.ts';

const dayMs = 86_400_000;
/** A filter has at most 2000 characters and 100 values. */
const [maxValues, maxCharacters] = [100, 1800] as const;

/** @param days from today, negative for earlier ones */
export function dayFrom(now: number, days: number): string {
  return new Date(now + days * dayMs).toISOString().slice(0, 10);
}

export function onDay(field: string, day: string): string {
  return filterText([{ field, operator: '==', value: day }]);
}

export function since(field: string, day: string): string {
  return filterText([{ field, operator: '=ge=', value: day }]);
}

/** The first of these orders, as many as a filter can name. */
export function ordersNamed(names: readonly string[]): string {
  // An order always has its name, so nothing matches.
  if (names.length === 0) return filterText([{ field: 'orderUniqueID', operator: '=null=', value: 'true' }]);
  let length = 0;
  const some = names.slice(0, maxValues).filter((name) => {
    length += name.length + 3;
    return length < maxCharacters && !name.includes(',');
  });
  return filterText([{ field: 'orderUniqueID', operator: '=in=', value: some.join(',') }]);
}
