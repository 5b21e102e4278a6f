// Fields of which the service has the value, whoever sends the record: those that publish its activity, and those that
// only the service writes.
import { type Pass, refuse } from './reasons.ts';
import { type Fields, isScalar } from './resource.ts';

/** The fields that publish the owner may be left out, but they may not name another activity. */
export function readOwn(name: string, given: unknown, own: string, what: string, pass: Pass): string {
  if (given !== undefined && given !== null && given !== own) {
    refuse(
      pass,
      name,
      'wrong-activity',
      `must be ${JSON.stringify(own)}, the ${what} of the activity that the record is written for, or be left out`,
    );
  }
  return own;
}

/** Dotted paths of all fields that a create request leaves out. */
export function readOnlyPaths(fields: Fields, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.readOnly) return [prefix + name];
    return isScalar(field) ? [] : readOnlyPaths(field.fields, `${prefix}${name}.`);
  });
}
