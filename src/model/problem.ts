// Every error that can be reported to a client: the catalogue, and the one exception that carries an entry of it.
import { notDone } from './problem-kinds/not-done.ts';
import { notUnderstood } from './problem-kinds/not-understood.ts';
import type { ProblemKind } from './problem-kinds/kind.ts';

export type { ProblemKind } from './problem-kinds/kind.ts';

/** The catalogue (decisions D37, D38). The slug is the last segment of `type` and the name of the problem's page. */
export const problems = { ...notUnderstood, ...notDone } as const satisfies Record<string, ProblemKind>;

export type ProblemSlug = keyof typeof problems;

/**
 * Members of a ProblemDetails response beyond type, title, status, detail, instance and traceId (RFC 9457, section
 * 3.2).
 */
interface ProblemExtra {
  /** Parameter or JSON path → sentences (decision D17: on every 400). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly [member: string]: unknown;
}

/**
 * A mistake of the client, or something that it has to wait for. Anything else that is thrown is a bug and becomes a
 * 500 without detail.
 */
export class Problem extends Error {
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly extra: ProblemExtra;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param slug entry of the catalogue
   * @param detail sentence for this occurrence: what is wrong and what to do
   * @param extra further members of the body
   * @param headers response headers that belong to this answer (`WWW-Authenticate`, `Retry-After`, `Allow`)
   * @param cause what the operator should know and the client should not
   */
  constructor(
    slug: ProblemSlug,
    detail: string,
    extra: ProblemExtra = {},
    headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(detail, cause === undefined ? {} : { cause });
    this.name = 'Problem';
    this.slug = slug;
    this.detail = detail;
    this.extra = extra;
    this.headers = headers;
  }
}
