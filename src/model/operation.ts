// The OperationResult (interface 2.12): the outcome of each item of a write, as a value, as JSON text and as a schema.
import type { Reason } from './record.ts';
import type { JsonSchema } from './schema.ts';

/** Members in the interface's order. */
export interface OperationResult {
  /** 200: all items passed; 207: some; 422: none (decision D16). */
  readonly status: 200 | 207 | 422;
  /** UUIDv7 by which the operator finds the write. */
  readonly operationId: string;
  /** The faults of each item that did not pass, by its key (decision D7). */
  readonly errors: ReadonlyMap<string, readonly Reason[]>;
  /** Keys of the items that passed, in the order of the request. */
  readonly passed: readonly string[];
}

/** The result of a write, with the status that follows from it. */
export function operationResult(
  operationId: string,
  { errors, passed }: Pick<OperationResult, 'errors' | 'passed'>,
): OperationResult {
  return { status: errors.size === 0 ? 200 : passed.length === 0 ? 422 : 207, operationId, errors, passed };
}

/** A result as a JSON value. */
export function operationValue({
  status,
  operationId,
  errors,
  passed,
}: OperationResult): Readonly<Record<string, unknown>> {
  return { status, operationId, errors: Object.fromEntries(errors), passed };
}

/** JSON text of a result, in pieces of an item each, since all errors together may be a megabyte. */
export function* operationPieces({ status, operationId, errors, passed }: OperationResult): Generator<string> {
  yield `{"status":${status},"operationId":${JSON.stringify(operationId)},"errors":{`;
  let separator = '';
  for (const [key, reasons] of errors) {
    yield `${separator}${JSON.stringify(key)}:${JSON.stringify(reasons)}`;
    separator = ',';
  }
  yield `},"passed":${JSON.stringify(passed)}}`;
}

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: 'string', description, ...more });

/** Schema of a result. */
export const operationSchema: JsonSchema = {
  type: 'object',
  description:
    'What became of each item of a write. The HTTP status is 200 whenever the body could be read; look at `status` ' +
    'and `errors`.',
  properties: {
    status: {
      type: 'integer',
      format: 'int32',
      description: '200: all items passed. 207: some did, the others are in `errors`. 422: none did.',
      enum: [200, 207, 422],
    },
    operationId: text('Identifier of this write, for questions to whoever runs the service.', {
      format: 'uuid',
      maxLength: 36,
    }),
    errors: {
      type: 'object',
      description:
        'What is wrong with each item that did not pass, by its key; `{}` where all did. At most 100 errors of an ' +
        'item and 1 MB of all are listed.',
      additionalProperties: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            code: text(
              'What is wrong, for programs, such as `required` or `too-long`; `more-errors` where the list ends ' +
                'before all is said.',
              { maxLength: 64 },
            ),
            pointer: text('Where it is in the body: a JSON Pointer (RFC 6901).', { maxLength: 8192 }),
            detail: text('What is wrong, and what would be right.', { maxLength: 8192 }),
            count: {
              type: 'integer',
              format: 'int32',
              description:
                'Only with the code `more-errors`, the last of its list: how many errors of this item are not listed.',
              minimum: 1,
            },
          },
          required: ['code', 'pointer', 'detail'],
        },
      },
    },
    passed: {
      type: 'array',
      description: 'Keys of the items that passed, in the order of the request.',
      items: { type: 'string', maxLength: 255 },
    },
  },
  required: ['status', 'operationId', 'errors', 'passed'],
};

/** Example of a result in which one item passed and one did not. */
export const operationExample = {
  status: 207,
  operationId: '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
  errors: {
    'ACM/CID-BRU-150': [
      {
        code: 'too-long',
        pointer: '/1/shortArticleDescription',
        detail: 'shortArticleDescription has 34 characters; at most 30 are allowed.',
      },
    ],
  },
  passed: ['ACM/CID-BRU-075'],
} as const;
