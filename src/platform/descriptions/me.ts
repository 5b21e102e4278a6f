// The reference documentation of the operation that tells callers who they are.
import type { RouteDescription } from '../../http/route.ts';

const meExample = {
  kind: 'user',
  id: '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01',
  name: 'ops',
  roles: ['feed', 'audit'],
  activityCodes: null,
} as const;

export const meDescriptions = {
  readMe: {
    summary: 'Who I am here',
    parameters: [],
    description:
      'The key or the operator that the request comes from, with the roles and activities that count at this moment. ' +
      'Any key and any operator may ask.',
    answers: { schema: 'Me', example: meExample },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
