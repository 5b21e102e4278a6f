// Parses and formats retention in the operators' notation: `orders=400,movements=never`.
import { isRetentionSubject, type RetentionSubject, retentionSubjects } from './retention-policy.ts';

/** Days by subject; null: for ever; undefined: according to the settings. */
export type RetentionChanges = ReadonlyMap<RetentionSubject, number | null | undefined>;

const maxDays = 36_500;

/** The content of a list, or one sentence that describes its fault. */
export function parseRetention(text: string): RetentionChanges | string {
  const changes = new Map<RetentionSubject, number | null | undefined>();
  for (const item of text.split(',').map((part) => part.trim())) {
    const [subject = '', value = '', ...more] = item.split('=').map((part) => part.trim());
    if (more.length > 0 || value === '') return `"${item}" is no retention: write it as orders=400.`;
    if (subject === 'articles') return 'Articles are never removed by time.';
    if (!isRetentionSubject(subject))
      return `There is nothing called "${subject}" to be kept; there are ${retentionSubjects.join(', ')}.`;
    if (changes.has(subject)) return `"${subject}" is there twice.`;
    const days = daysIn(value);
    if (typeof days === 'string') return days;
    changes.set(subject, days.kept);
  }
  return changes;
}

/** In the form that `parseRetention` reads. */
export function formatRetention(changes: RetentionChanges): string {
  return [...changes]
    .map(([subject, days]) => `${subject}=${days === undefined ? 'default' : days === null ? 'never' : days}`)
    .join(',');
}

function daysIn(value: string): { readonly kept: number | null | undefined } | string {
  if (value === 'never') return { kept: null };
  if (value === 'default') return { kept: undefined };
  if (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= maxDays) return { kept: Number(value) };
  return `"${value}" is no number of days from 1 to ${maxDays}, nor "never" or "default".`;
}
