// What the audit trail keeps of the answer to a write, however long that is.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationAudit } from '../../src/api/operation-result.ts';
import type { Call } from '../../src/http/route.ts';
import { type OperationResult, operationResult } from '../../src/model/operation.ts';
import type { Reason } from '../../src/model/record.ts';

const call: Pick<Call, 'principal' | 'address'> = {
  principal: { kind: 'client', clientId: 'shop', subject: 'mia', activityCodes: ['ACM'], readOnly: false },
  address: '192.0.2.1',
};

function refused(items: number, reasonsEach: number): OperationResult {
  const reason = (item: number): Reason => ({
    code: 'too-long',
    pointer: `/${item}/shortArticleDescription`,
    detail: 'x'.repeat(200),
  });
  const errors = new Map(
    Array.from({ length: items }, (_, item) => [
      `ACM/R-${item}`,
      Array.from({ length: reasonsEach }, () => reason(item)),
    ]),
  );
  return operationResult('op', { errors, passed: ['ACM/GOOD'] });
}

function kept(result: OperationResult): Record<string, unknown> {
  const { details } = operationAudit(
    call,
    { action: 'articles.submit', activityCodes: ['ACM'], target: null, details: {} },
    result,
  );
  assert.ok(typeof details === 'object' && details !== null && 'answer' in details);
  const { answer } = details;
  assert.ok(typeof answer === 'object' && answer !== null);
  return { ...answer };
}

describe('the audit entry of a write', () => {
  it('has the whole answer where that is short', () => {
    const answer = kept(refused(3, 2));
    assert.equal('shortened' in answer, false);
    assert.deepEqual(answer.passed, ['ACM/GOOD']);
  });

  it('has the first error of some items, and how many were refused, where the answer is long', () => {
    for (const result of [refused(500, 20), refused(1, 100), refused(500, 1)]) {
      const answer = kept(result);
      assert.ok(JSON.stringify(answer).length < 16_384, `${JSON.stringify(answer).length} characters`);
      assert.deepEqual([answer.shortened, answer.refused, answer.status], [true, result.errors.size, 207]);
    }
  });
});
