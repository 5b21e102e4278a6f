// What a refused call looks like to a test.
import assert from 'node:assert/strict';
import { Problem, problems } from '../../src/model/problem.ts';

interface Refusal {
  readonly slug: string;
  readonly status: number;
  readonly challenge: string | undefined;
  readonly detail: string;
}

/** The refusal that this work ends in; fails when it ends in anything else. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) assert.fail(`accepted: ${JSON.stringify(outcome.value)}`);
  const { error } = outcome;
  if (!(error instanceof Problem)) throw error;
  return {
    slug: error.slug,
    status: problems[error.slug].status,
    challenge: error.headers['WWW-Authenticate'],
    detail: error.detail,
  };
}
