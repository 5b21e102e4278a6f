// The detail of a 404 for a path without a route: where paths begin, and which existing ones are similar.
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';
import { closestName } from '../model/closest-name.ts';
import { splitTarget } from './call.ts';
import { patternOf } from './paths.ts';
import type { Mount } from './route.ts';

/** The most similar paths that are listed. */
const maxNear = 5;

/**
 * Makes the function that returns the 404 for a request target.
 * @param baseUrl address of the client interface, without a slash at the end
 */
export function notFoundProblems(mounts: readonly Mount[], baseUrl: string): (target: string | undefined) => Problem {
  const known = mounts.flatMap(({ prefix, routes }) =>
    routes
      .filter(({ access }) => access === 'token')
      .map(({ path }) => ({ path, prefix, pattern: new RegExp(patternOf(path), 'i') })),
  );
  const paths = [...new Map(known.map((each) => [each.path, each])).values()];
  // The paths of other interfaces are disclosed only to callers with a key for them.
  const others = mounts.map(({ prefix }) => prefix).filter((prefix) => known.every((each) => each.prefix !== prefix));
  return (target = '/') => {
    const asked = trimmed(splitTarget(target).path);
    const other = others.find((prefix) => prefix !== '' && asked.startsWith(`${prefix}/`));
    if (other !== undefined) return problemOf(new URL(baseUrl).origin + other, []);
    const own = paths.find(({ prefix }) => prefix !== '' && asked.toLowerCase().startsWith(`${prefix}/`));
    const near = nearPaths(own === undefined ? asked : asked.slice(own.prefix.length), paths);
    return problemOf(baseUrl, near);
  };
}

function problemOf(baseUrl: string, near: readonly string[]): Problem {
  const hint = near.length === 0 ? '' : ` Near are ${near.map((path) => baseUrl + path).join(', ')}.`;
  const detail = textBlock`
    There is nothing at this path. Paths begin with ${baseUrl}, are case-sensitive and have no slash at the end.${hint}
  `;
  return new Problem('not-found', detail);
}

interface KnownPath {
  readonly path: string;
  readonly pattern: RegExp;
}

/**
 * The path itself in its correct spelling, else the one that was probably meant, else those with the same beginning.
 */
function nearPaths(asked: string, known: readonly KnownPath[]): readonly string[] {
  const same = known.filter(({ pattern }) => pattern.test(asked));
  if (same.length > 0) return same.slice(0, 1).map(({ path }) => path);
  const mistyped = closestName(
    asked,
    known.map(({ path }) => path),
  );
  if (mistyped !== null) return [mistyped];
  const first = closestName(
    firstSegment(asked),
    known.map(({ path }) => firstSegment(path)),
  );
  return known
    .filter(({ path }) => firstSegment(path) === first)
    .map(({ path }) => path)
    .slice(0, maxNear);
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

/** Without repeated slashes and trailing slash. */
function trimmed(path: string): string {
  return `/${path
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')}`;
}
