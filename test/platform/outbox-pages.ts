// What tests put into the outbox, and pages of it as they come back.
import assert from 'node:assert/strict';
import type { Answered } from '../contract/running-app.ts';

export interface Page {
  readonly entries: readonly Record<string, unknown>[];
  readonly position: string;
  readonly more: boolean;
}

/** The page that an answer is; fails when it is none. */
export function pageOf(answer: Answered): Page {
  assert.equal(answer.status, 200, answer.body);
  const { entries, position, more } = answer.object();
  assert.ok(Array.isArray(entries) && typeof position === 'string' && typeof more === 'boolean');
  return { entries, position, more };
}

export function articleOf(activityCode: string, articleReference: string): Record<string, unknown> {
  return { activityCode, articleReference, longArticleDescription: 'Long', shortArticleDescription: 'Short' };
}
