// The reconciliation on the wire: whether the stock images of an activity are what its movements make of them.
import type { Answer, Call, Parameter, Route } from '../http/route.ts';
import { invalidParameter, readChoice, readInstant, singleParameters } from '../model/parameters.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { reconcile } from './reconcile.ts';
import { reconciliationExample } from './reconciliation-schema.ts';

const parameters = ['activity', 'from', 'to', 'after', 'all'] as const;

const meanings: Readonly<Record<(typeof parameters)[number], Omit<Parameter, 'name' | 'in'>>> = {
  activity: {
    required: true,
    meaning: 'Code of the activity.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
    example: 'ACM',
  },
  from: {
    required: true,
    meaning: 'The newest stock image not later than this day or date-time is the earlier one.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-01',
  },
  to: {
    required: true,
    meaning: 'The newest stock image not later than this day or date-time is the later one.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-08',
  },
  after: {
    meaning: 'Goes on after this article: `after` of the answer before.',
    schema: { type: 'string', maxLength: 17 },
  },
  all: {
    meaning: 'With `true`, places without a difference too.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
};

export function reconciliationRoute(dependencies: { readonly store: Store }): Route {
  return {
    access: 'platform-key',
    role: 'stock',
    rate: 'platform',
    listOf: null,
    produces: ['application/json'],
    method: 'GET',
    path: '/reconciliation',
    operationId: 'reconcileStock',
    summary: 'Whether stock adds up',
    parameters: parameters.map((name) => ({ name, in: 'query', ...meanings[name] })),
    description: textBlock`
      For each article, stock unit, lot and grade: what the earlier image has, with the movements between the two
      images, against what the later one has; and why it differs. By default only what differs. A page ends with an
      article; go on with \`after\` until it is null. Totals are those of all places.
    `,
    answers: { schema: 'Reconciliation', example: reconciliationExample },
    refusals: { 404: ['resource-not-found'] },
    handle: readReconciliation(dependencies),
  };
}

/** @throws Problem `invalid-parameter`, `unknown-parameter`, `resource-not-found`, those of long reads */
function readReconciliation({ store }: { readonly store: Store }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, parameters);
    const activity = given.get('activity');
    if (activity === undefined || !call.principal.activityCodes.includes(activity))
      return invalidParameter('activity', "Parameter 'activity': expected an activity that this key opens.");
    const from = readInstant('from', given.get('from')) ?? missing('from');
    const to = readInstant('to', given.get('to')) ?? missing('to');
    const after = given.get('after') ?? null;
    const all = readChoice('all', given.get('all'), ['true', 'false'], 'false') === 'true';
    const reader = { client: call.principal.clientId, gone: call.gone };
    const body = JSON.stringify(await reconcile(store, { activity, from, to, after, all }, reader));
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
}

function missing(name: string): never {
  return invalidParameter(name, `Parameter '${name}': expected a day or date-time.`);
}
