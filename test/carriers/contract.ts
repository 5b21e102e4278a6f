// What every carrier must do, whatever it speaks: read its own samples, and never mistake garbage, half an answer or a
// refusal for a label.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type CarrierErrorKind,
  type CarrierLabel,
  type CarrierExchange,
  type CarrierAnswer,
  type CarrierRequest,
  isSuccess,
} from '../../src/carriers/carrier.ts';
import { type CarrierHandover, isSupported } from '../../src/carriers/desk.ts';
import type { PickupPoint, PointQuery } from '../../src/carriers/points.ts';
import {
  type LabelField,
  type LabelOutput,
  type LabelRequest,
  labelRequestFields,
  type Tracking,
} from '../../src/model/shipping.ts';
import { answer, type Driven, failureOf, labelRequest, replay, resultOf, fieldOf } from './drive.ts';
import { rounds } from '../contract/rounds.ts';

export { simulatorContract } from '../simulators/contract.ts';

export type Operation =
  | 'createLabel'
  | 'fetchLabel'
  | 'track'
  | 'probe'
  | 'voidLabel'
  | 'findPoints'
  | 'dryRun'
  | 'handOver';

/** One operation as it was recorded or documented: what goes out, what comes back, and what we make of it. */
interface Sample<T> {
  /** What must be asked, in this order. */
  readonly requests: readonly ExpectedRequest[];
  readonly answers: readonly CarrierAnswer[];
  readonly result: T;
  /** The parcel that is asked about. */
  readonly expeditionNumber?: string;
  /** What else is known of a label that is to be void: its parcels, where there are several, and its outputs. */
  readonly parcelNumbers?: readonly string[];
  readonly outputs?: readonly LabelOutput[];
  /**
   * Positions of answers without which there is still a result, such as the PDF behind a link: the parcel exists
   * already.
   */
  readonly dispensable?: readonly number[];
}

/** Headers are those that must be among the sent ones, by lower-case name. */
export interface ExpectedRequest extends Pick<CarrierRequest, 'method' | 'url' | 'repeat'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | RegExp | null;
}

/** An answer by which the carrier says no. */
export interface Refusal {
  readonly name: string;
  readonly operation: Operation;
  readonly answers: readonly CarrierAnswer[];
  readonly kind: CarrierErrorKind;
  readonly carrierCode: string | null;
  readonly fields: readonly LabelField[];
}

/** A carrier with what is known of it. An operation that it lacks has null for a sample. */
export interface CarrierSubject {
  /** Where one carrier is tested with several accounts. */
  readonly name?: string;
  readonly carrier: Carrier;
  /** Its secrets must be unmistakable: they are looked for in every error. */
  readonly account: CarrierAccount;
  /** A request that the carrier takes. */
  readonly request: LabelRequest;
  readonly now?: number;
  readonly createLabel: Sample<CarrierLabel> | null;
  readonly fetchLabel: Sample<CarrierLabel> | null;
  readonly track: Sample<Tracking> | null;
  readonly probe: Sample<string> | null;
  readonly voidLabel: Sample<string> | null;
  /** Absent: the carrier has no such operation. */
  readonly findPoints?: (Sample<readonly PickupPoint[]> & { readonly query: PointQuery }) | null;
  readonly dryRun?: Sample<string> | null;
  /** Absent: the carrier is told nothing at the end of a day. */
  readonly handOver?: Sample<CarrierHandover> | null;
  readonly refusals: readonly Refusal[];
}

/** Registers the tests that every carrier must pass. */
export function carrierContract(subject: CarrierSubject): void {
  describe(`the carrier ${subject.name ?? subject.carrier.name}`, () => {
    describe('as it describes itself', () => descriptionTests(subject));
    describe('its rules', () => ruleTests(subject));
    for (const operation of operations) describe(operation, () => operationTests(subject, operation));
    it('is tried with a refusal of each of its operations, an unknown parcel and an account that does not work', () =>
      refusalsTest(subject));
    for (const refusal of subject.refusals)
      it(`understands a refusal: ${refusal.name}`, () => refusalTest(subject, refusal));
    it(
      'takes a parcel that it does not know yet for registered, if its label was made here lately',
      {
        skip: (subject.createLabel === null || subject.track === null) && 'it makes no labels or tracks none',
      },
      () => awaitedTest(subject),
    );
  });
}

const operations: readonly Operation[] = [
  ...(['createLabel', 'fetchLabel', 'track', 'probe', 'voidLabel', 'findPoints', 'dryRun', 'handOver'] as const),
];
/** Those that change something at the carrier. */
const acting: readonly Operation[] = ['createLabel', 'voidLabel'];
const sampleTime = Date.UTC(2026, 10, 21, 12);
const nowhere: PointQuery = { destCountry: '', destZip: '', destCity: '', destAddr2: '', weight: '', modeLiv: '' };

/** The exchange of an operation, null where the carrier has none. */
function exchangeOf(
  { carrier, account, request, now = sampleTime, voidLabel, findPoints, handOver }: CarrierSubject,
  operation: Operation,
  expeditionNumber = '',
): CarrierExchange<unknown> | null {
  if (operation === 'voidLabel') {
    const way = carrier.desk.voidLabel;
    const { parcelNumbers = [expeditionNumber], outputs = [] } = voidLabel ?? {};
    const task = { account, expeditionNumber, parcelNumbers, outputs, label: null, again: false, now };
    return isSupported(way) ? way(task) : null;
  }
  if (operation === 'findPoints') {
    const way = carrier.desk.findPoints;
    return isSupported(way) ? way({ account, query: findPoints?.query ?? nowhere, limit: 10, now }) : null;
  }
  if (operation === 'dryRun') {
    const way = carrier.desk.dryRun;
    return isSupported(way) ? way({ account, request, now }) : null;
  }
  if (operation === 'handOver') {
    const { close } = carrier.desk.handover;
    const { parcelNumbers = [expeditionNumber] } = handOver ?? {};
    return isSupported(close) ? close({ account, parcelNumbers, day: '2026-11-21', now }) : null;
  }
  if (operation === 'createLabel') return carrier.createLabel?.({ account, request, sequence: 1, now }) ?? null;
  if (operation === 'probe') return carrier.probe?.(account, now) ?? null;
  return carrier[operation]?.({ account, expeditionNumber, label: null, now }) ?? null;
}

function descriptionTests({ carrier, account }: CarrierSubject): void {
  it('has a name that can stand in a path, and a title', () => {
    assert.match(carrier.name, /^[a-z][a-z0-9-]*$/);
    assert.notEqual(carrier.title, '');
  });

  it('says what each setting means, once, with a default that it would accept', () => {
    assert.equal(new Set(carrier.settings.map(({ name }) => name)).size, carrier.settings.length);
    for (const { name, meaning, otherwise, pattern, choices } of carrier.settings) {
      assert.match(name, /^[a-z][A-Za-z0-9]*$/);
      assert.match(meaning, /\.$/, `the meaning of ${name} is a sentence`);
      if (otherwise === undefined || otherwise === '') continue;
      assert.ok(choices?.includes(otherwise) ?? true, name);
      assert.match(otherwise, new RegExp(`^(?:${pattern ?? '[^]*'})$`, 'u'), name);
    }
  });

  it('accepts the settings of its sample account', () => {
    assert.deepEqual(
      Object.keys(account.settings).filter((name) => !carrier.settings.some((setting) => setting.name === name)),
      [],
    );
    for (const { name, pattern, choices } of carrier.settings) {
      const value = account.settings[name] ?? '';
      if (value === '') continue;
      assert.ok(choices?.includes(value) ?? true, name);
      assert.match(value, new RegExp(`^(?:${pattern ?? '[^]*'})$`, 'u'), name);
    }
  });

  it('says in sentences what to do where it has no way', () => {
    for (const offered of Object.values(carrier.desk))
      if ('instead' in offered) assert.match(offered.instead, /^[A-Z].*\.$/s);
  });

  it('has origins, as URLs write them, and outputs', () => {
    const origins = carrier.origins(account);
    for (const origin of origins) assert.equal(new URL(origin).origin, origin);
    assert.ok(carrier.createLabel === null || Object.keys(carrier.outputs).length > 0);
  });
}

function ruleTests({ carrier, account, request, now = sampleTime }: CarrierSubject): void {
  const checked = (values: LabelRequest) => {
    const reasons = carrier.check(values, account);
    for (const { pointer, code, detail } of reasons) {
      const field = pointer.slice(1);
      assert.ok(Object.hasOwn(labelRequestFields, field), field);
      assert.match(code, /^[a-z]+(-[a-z]+)*$/);
      assert.match(detail, /\S.*\.$/s, `${field}: ${detail}`);
    }
    return reasons;
  };

  it('takes the request of the sample', () => assert.deepEqual(checked(request), []));

  it('says of an empty request what is missing', { skip: carrier.createLabel === null }, () =>
    assert.notDeepEqual(checked(labelRequest({})), []),
  );

  it('finds something wrong with any texts whatever, or makes a request of them', {
    skip: carrier.createLabel === null,
  }, async () => {
    const any = fc.oneof(
      fc.constant(''),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ maxLength: 300 }),
      fc.constantFrom('\u0000', '\ud800', '<a>&', "' OR 1=1 --", 'é'.repeat(40)),
    );
    const fields = Object.keys(labelRequestFields) as readonly LabelField[];
    const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...fields), any), {
      maxLength: 4,
      selector: ([field]) => field,
    });
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const values = { ...request, ...Object.fromEntries(changed) };
        if (checked(values).length > 0) return;
        const first = await carrier.createLabel?.({ account, request: values, sequence: 1, now })?.next();
        assert.ok(first?.done === true || carrier.origins(account).includes(new URL(first?.value.url ?? '').origin));
      }),
      { numRuns: rounds(300) },
    );
  });
}

function operationTests(subject: CarrierSubject, operation: Operation): void {
  const { carrier, account } = subject;
  const sample: Sample<unknown> | null = subject[operation] ?? null;
  if (sample === null) {
    it('is one that the carrier lacks, or refuses for this account without asking anybody', async () => {
      const exchange = exchangeOf(subject, operation, '12345678');
      if (exchange === null) return;
      const { requests, error } = await replay(exchange, []);
      assert.deepEqual(requests, []);
      assert.ok(error instanceof CarrierError);
    });
    return;
  }
  const converseWith = async (answers: readonly (CarrierAnswer | Error)[]) => {
    const exchange = exchangeOf(subject, operation, sample.expeditionNumber);
    assert.ok(exchange !== null, `the carrier has ${operation}`);
    const driven = await replay(exchange, answers);
    if (driven.error !== null) checkError(driven.error, subject);
    return driven;
  };

  it('asks and reads as the sample says', async () => {
    const driven = await converseWith(sample.answers);
    assert.deepEqual(resultOf(driven), sample.result);
    checkRequests(driven.requests, sample.requests);
  });

  it('takes a success for one whatever number it has, of each answer alone and of all of them', async () => {
    const changed = (given: CarrierAnswer): CarrierAnswer => (isSuccess(given) ? { ...given, status: 203 } : given);
    for (const answers of [
      sample.answers.map(changed),
      ...sample.answers.map((given, position) => sample.answers.with(position, changed(given))),
    ])
      assert.deepEqual(resultOf(await converseWith(answers)), sample.result);
  });

  it('asks nobody but the origins of the account', async () => {
    const { requests } = await converseWith(sample.answers);
    for (const { url } of requests)
      assert.ok(carrier.origins(account).includes(new URL(url).origin), new URL(url).origin);
  });

  it('asks the same when it is asked again', async () => {
    const [once, again] = [await converseWith(sample.answers), await converseWith(sample.answers)];
    assert.deepEqual(again, once);
  });

  it(acting.includes(operation) ? 'forbids repeating the request that acts' : 'may be repeated', async () => {
    const { requests } = await converseWith(sample.answers);
    // The end of a day may be repeated where what is closed stays closed: each sample says it.
    const expected = operation === 'handOver' ? sample.requests : acting.includes(operation);
    assert.equal(
      requests.some(({ repeat }) => repeat === 'never'),
      typeof expected === 'boolean' ? expected : expected.some(({ repeat }) => repeat === 'never'),
    );
  });

  for (const [position] of sample.answers.entries()) {
    const mayDoWithout = sample.dispensable?.includes(position) ?? false;
    it(`takes garbage and half an answer in place of answer ${position + 1} for what they are`, async () => {
      for (const [name, garbage] of garbageFor(sample.answers[position])) {
        const driven = await converseWith(sample.answers.with(position, garbage));
        if (mayDoWithout && driven.error === null) continue;
        assert.equal(failureOf(driven).kind, 'unavailable', name);
        checkDoubt(driven, name);
      }
    });

    it(`passes on that there was no answer ${position + 1} in time`, async () => {
      const answers: readonly (CarrierAnswer | Error)[] = sample.answers;
      const driven = await converseWith(
        answers.with(
          position,
          new CarrierError('timeout', `No answer came in time to ${secretsOf(subject).join(' ')}.`),
        ),
      );
      if (mayDoWithout && driven.error === null) return;
      checkError(driven.error, subject);
      assert.equal(failureOf(driven).kind, 'timeout');
      checkDoubt(driven, 'no answer');
    });
  }
}

/** Whoever asked for a parcel and does not know the answer must not say that there is none. */
function checkDoubt(driven: Driven<unknown>, name: string): void {
  // Which parcels are void is certain, whatever became of the next one.
  if (failureOf(driven).voided.length > 0) return;
  if (driven.requests.some(({ repeat }) => repeat === 'never')) assert.equal(failureOf(driven).acted, 'unknown', name);
}

/** Kinds of error of which a carrier must show one for each operation. */
const neededRefusals: Readonly<Record<Operation, readonly (readonly CarrierErrorKind[])[]>> = {
  createLabel: [['invalid', 'refused'], ['configuration']],
  fetchLabel: [['unknown']],
  track: [['unknown']],
  probe: [['configuration']],
  voidLabel: [['refused'], ['configuration']],
  findPoints: [['invalid'], ['configuration']],
  dryRun: [['invalid', 'refused'], ['configuration']],
  handOver: [['refused'], ['configuration']],
};

function refusalsTest(subject: CarrierSubject): void {
  for (const operation of operations) {
    // What asks nobody is refused by nobody.
    if ((subject[operation]?.requests ?? []).length === 0) continue;
    for (const kinds of neededRefusals[operation])
      assert.ok(
        subject.refusals.some((refusal) => refusal.operation === operation && kinds.includes(refusal.kind)),
        `${operation} is tried with no refusal of the kind ${kinds.join(' or ')}`,
      );
  }
}

async function refusalTest(
  subject: CarrierSubject,
  { operation, answers, kind, carrierCode, fields }: Refusal,
): Promise<void> {
  const exchange = exchangeOf(subject, operation, subject[operation]?.expeditionNumber ?? '12345678');
  assert.ok(exchange !== null);
  const driven = await replay(exchange, answers);
  checkError(driven.error, subject);
  const error = failureOf(driven);
  assert.equal(error.kind, kind, error.message);
  assert.equal(error.carrierCode, carrierCode);
  assert.deepEqual(error.reasons.map(fieldOf), fields);
}

/** At least one of the ways in which a carrier says that it knows no such parcel means that it does not know it yet. */
async function awaitedTest({
  carrier,
  account,
  request,
  now = sampleTime,
  refusals,
  track,
}: CarrierSubject): Promise<void> {
  const expeditionNumber = track?.expeditionNumber ?? '12345678';
  const dayMs = 24 * 60 * 60 * 1000;
  const unknown = refusals.filter(({ operation, kind }) => operation === 'track' && kind === 'unknown');
  const statusesAfter = async (days: number): Promise<ReadonlySet<string | undefined>> => {
    const label = { request, createdAt: now - days * dayMs };
    const statuses = unknown.map(async ({ answers }) => {
      const exchange = carrier.track?.({ account, expeditionNumber, label, now });
      assert.ok(exchange !== undefined);
      const { error, result } = await replay(exchange, answers);
      return error instanceof CarrierError ? error.kind : result?.status;
    });
    return new Set(await Promise.all(statuses));
  };
  for (const days of [0, 13]) assert.ok((await statusesAfter(days)).has('80'), `made ${days} days ago`);
  assert.deepEqual([...(await statusesAfter(15))], ['unknown'], 'made 15 days ago');
}

/** Only CarrierErrors, each a sentence, none with a secret of the account. */
function checkError(error: unknown, subject: CarrierSubject): void {
  if (!(error instanceof CarrierError)) throw error;
  assert.match(error.message, /\S.*[.…]$/s, error.message);
  const said = JSON.stringify([error.message, error.carrierCode, error.carrierMessage, error.reasons]);
  for (const secret of secretsOf(subject)) assert.ok(!said.includes(secret), `a secret is in: ${said}`);
}

function secretsOf({ carrier, account }: CarrierSubject): readonly string[] {
  return carrier.settings
    .flatMap(({ name, secret }) => (secret === true ? [account.settings[name] ?? ''] : []))
    .filter((secret) => secret !== '');
}

function checkRequests(requests: readonly CarrierRequest[], expected: readonly ExpectedRequest[]): void {
  assert.deepEqual(
    requests.map(({ method, url, repeat }) => ({ method, url, repeat })),
    expected.map(({ method, url, repeat }) => ({ method, url, repeat })),
  );
  for (const [index, { headers = {}, body }] of expected.entries()) {
    const request = requests[index];
    const sent = Object.fromEntries(
      Object.entries(request?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (const [name, value] of Object.entries(headers)) assert.equal(sent[name], value, name);
    if (body instanceof RegExp) assert.match(request?.body ?? '', body);
    else assert.equal(request?.body, body);
  }
}

/** What stands in the place of an answer when something between us and the carrier goes wrong. */
function garbageFor(right: CarrierAnswer | undefined): readonly (readonly [name: string, garbage: CarrierAnswer])[] {
  const body = right?.body ?? Buffer.alloc(0);
  const html = '<!DOCTYPE html><html><head><title>Gateway</title></head><body>Sorry &nbsp; <br></body></html>';
  const halves = [0.1, 0.5, 0.9]
    .map((part) => Math.floor(body.length * part))
    .concat(body.length - 1)
    .filter((length) => length > 0);
  return [
    ['nothing', answer('')],
    ['spaces', answer('  \r\n')],
    ['a page', answer(html, 200, { 'content-type': 'text/html' })],
    ['a page of an error', answer(html, 500, { 'content-type': 'text/html' })],
    ['an empty error', answer('', 502)],
    ['words', answer('Service unavailable')],
    ['bytes', answer(Buffer.from([0, 255, 254, 1, 128, 60, 62]))],
    ['JSON null', answer('null', 200, { 'content-type': 'application/json' })],
    ['another JSON', answer('{"a":[[],{"b":null}],"status":7}', 200, { 'content-type': 'application/json' })],
    ['another XML', answer('<?xml version="1.0"?><a><b c="d"/></a>', 200, { 'content-type': 'text/xml' })],
    ...halves.map(
      (length) =>
        [
          `the first ${length} of ${body.length} bytes`,
          { ...right, status: 200, headers: right?.headers ?? {}, body: body.subarray(0, length) },
        ] as const,
    ),
  ];
}
