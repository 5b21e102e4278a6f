// Enforces one spelling for each path, so that anything in front of the server that blocks a path sees the same one as
// the router.
import { Problem } from '../model/problem.ts';
import { splitTarget } from './call.ts';

/**
 * Checks the spelling of a request target (RFC 3986, section 6.2.2). Parameters of a path may be encoded in any way;
 * the fixed parts of the route must be spelled literally, and the path must not need normalization.
 * @param pattern of the route as the router has it (`/v1/articles/:articleReference`); undefined when none matches
 * @param notFound returns the 404 of a target
 * @returns Problem 400 for what is not a path, 404 for another spelling of one; undefined when nothing is wrong
 */
export function spellingProblem(
  target: string,
  pattern: string | undefined,
  notFound: (target: string) => Problem,
): Problem | undefined {
  // Nearly all requests: a path without parameters, and perhaps a query.
  if (
    pattern !== undefined &&
    target.startsWith(pattern) &&
    (target.length === pattern.length || target[pattern.length] === '?') &&
    !target.includes('#')
  )
    return undefined;
  if (target.includes('#')) return malformed('A request has no fragment: # in a value is written %23.');
  const { path } = splitTarget(target);
  if (path.includes('\\')) return malformed('The path has a backslash. In a value it is written %5C.');
  const segments = path.split('/');
  if (segments.some((segment) => dots.test(segment)))
    return malformed('A segment of the path is . or .., which stands for another path. Write that one.');
  if (pattern === undefined || pattern === '*') return undefined;
  const literals = pattern.replaceAll('::', ':').split('/');
  const isOther = literals.some(
    (literal, index) => !literal.startsWith(':') && literal !== '*' && literal !== segments[index],
  );
  return isOther ? notFound(target) : undefined;
}

const dots = /^(?:\.|%2e){1,2}$/i;

function malformed(detail: string): Problem {
  return new Problem('invalid-request', detail);
}
