// What a checker said of a record, for tests.
import assert from 'node:assert/strict';
import { createChecker } from '../../src/model/check.ts';
import type { Checked, IncomingRecord, Reason } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';

export function reasons(checked: Checked): readonly Reason[] {
  assert.ok(!checked.ok, 'must be refused');
  return checked.reasons;
}

const checkers = new WeakMap<Resource, ReturnType<typeof createChecker>>();

/** Checks one of many records: to make a checker takes as long as to check a hundred. */
export function checkRecord(resource: Resource, ...given: Parameters<ReturnType<typeof createChecker>>): Checked {
  const check = checkers.get(resource) ?? createChecker(resource);
  checkers.set(resource, check);
  return check(...given);
}

export function accepted(checked: Checked): IncomingRecord {
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.record;
}

/** A reason points at something in the input; one that names an absent value points at the record that lacks it. */
export function placeExists(input: unknown, { code, pointer }: Reason): void {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (code === 'required') steps.pop();
  let at: unknown = input;
  for (const step of steps) {
    assert.ok(typeof at === 'object' && at !== null && Object.hasOwn(at, step), `${code} ${pointer}`);
    at = Reflect.get(at, step);
  }
}
