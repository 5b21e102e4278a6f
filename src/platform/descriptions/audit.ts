// The reference documentation of the audit trail.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { auditParameters, maxAuditEntries } from '../audit.ts';
import { auditExample } from '../schemas.ts';

const auditMeanings: Readonly<Record<(typeof auditParameters)[number], Omit<Parameter, 'name' | 'in'>>> = {
  activityCode: {
    meaning: 'Only what concerns this activity.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
  },
  operationId: {
    meaning: 'Only the write with this operation id.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  action: {
    meaning: 'Only this kind of write.',
    schema: { type: 'string', maxLength: 64 },
    example: 'articles.submit',
  },
  actor: { meaning: 'Only what this client or key did: its id.', schema: { type: 'string', maxLength: 255 } },
  since: {
    meaning: 'Only what was written at or after this day or date-time.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-02',
  },
  until: { meaning: 'Only what was written before this day or date-time.', schema: { type: 'string', maxLength: 35 } },
  after: {
    meaning: 'Goes on after this entry: `after` of the answer before, or the `id` of an entry.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  limit: {
    meaning: 'Most entries of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxAuditEntries, default: maxAuditEntries },
  },
};

const auditQuery: readonly Parameter[] = auditParameters.map((name) => ({ name, in: 'query', ...auditMeanings[name] }));

/** Who wrote what. */
export const auditDescriptions = {
  readAudit: {
    summary: 'Who wrote what',
    parameters: auditQuery,
    description:
      'Writes that concern activities of this key and no others: who, what, when, from where, and with what ' +
      'outcome. A key of every activity also gets what concerns none, such as administration, and requests that ' +
      'were refused as a whole. The order is that in which the writes took effect: whoever goes on with `after` ' +
      'misses none, whatever is written meanwhile. An `operationId` of an answer finds that write with its whole ' +
      'result.',
    answers: { schema: 'AuditPage', example: auditExample },
    refusals: { 410: ['position-gone'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
