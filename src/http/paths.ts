// Which methods a path has, for requests whose method it does not have (405, OPTIONS).
import { splitTarget } from './call.ts';
import type { Face } from './route.ts';

/**
 * Makes the lookup: the value of `Allow` for a request target (RFC 9110, section 10.2.1), or null for a path that no
 * route has. `*` stands for the server as a whole.
 */
export function knownPaths(faces: readonly Face[]): (target: string) => string | null {
  const methods = new Map<string, Set<string>>();
  for (const face of faces) for (const route of face.routes) {
    const path = face.prefix + route.path;
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(route.method));
  }
  const rows = [...methods].map(([path, own]) => ({ pattern: patternOf(path), allow: allowOf(own) }));
  const all = allowOf(new Set([...methods.values()].flatMap((own) => [...own])));
  return (target) => {
    if (target === '*') return all;
    const path = decodedPath(splitTarget(target).path);
    return rows.find(({ pattern }) => pattern.test(path))?.allow ?? null;
  };
}

function patternOf(path: string): RegExp {
  const literal = path.split(/\{[^}]+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('[^/]+')}$`);
}

function allowOf(methods: ReadonlySet<string>): string {
  return [...(methods.has('GET') ? ['GET', 'HEAD'] : []), ...(methods.has('POST') ? ['POST'] : []), 'OPTIONS'].join(', ');
}

/** As the router sees it: `%2F` stays, so that it does not split a segment. */
function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
