// Schemas of the audit trail, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, uuid } from './schema-parts.ts';

export const auditSchemas: Readonly<Record<string, Json>> = {
  AuditPage: record('Entries of the audit trail.', {
    entries: { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/AuditEntry' } },
    after: orNull('Where the answer ends, for `after`; null where there is nothing.', 36),
  }),
  AuditEntry: record('One write.', {
    id: uuid('Identifier of the entry.'),
    at: instant('When.'),
    actorKind: text('Who.', 20, { enum: ['client', 'platform-key', 'command', 'user'] }),
    actor: text('Id of the client or key, or of a user: an operator, or somebody who changed their own sign-in.'),
    subject: orNull('User on whose behalf the client acted, null where it acted for itself; name of the key.'),
    action: text('What.', 64),
    activityCodes: { type: 'array', items: { type: 'string', maxLength: 3 } },
    target: orNull('What it was done to.'),
    operationId: orNull('Operation id of the answer.', 36),
    outcome: text('What became of it.', 20, { enum: ['accepted', 'partly', 'refused', 'failed'] }),
    address: orNull('Network address that it came from.', 45),
    details: { type: ['object', 'null'], description: 'More about it, such as the whole answer.' },
  }),
};
