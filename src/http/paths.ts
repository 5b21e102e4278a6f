// The methods and headers of each path, for requests with an unsupported method (405, OPTIONS).
import { splitTarget } from './call.ts';
import type { Mount, Route } from './route.ts';

export interface KnownPath {
  /** Value of `Allow` (RFC 9110, section 10.2.1). */
  readonly allow: string;
  readonly methods: readonly string[];
  /** Request headers for bodies and writes that any method of the path reads. */
  readonly headers: readonly string[];
}

/**
 * Makes the lookup by request target; null for a path without a route. `*` stands for the server as a whole. What a
 * route names has one spelling here too (path-spelling.ts).
 */
export function knownPaths(mounts: readonly Mount[]): (target: string) => KnownPath | null {
  const routes = mounts.flatMap((mount) => mount.routes.map((route) => ({ path: mount.prefix + route.path, route })));
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const rows = [...byPath].map(([path, own]) => ({
    pattern: new RegExp(patternOf(path)),
    known: knownOf(own.map(({ route }) => route)),
  }));
  const all = knownOf(routes.map(({ route }) => route));
  return (target) => {
    if (target === '*') return all;
    const { path } = splitTarget(target);
    return rows.find(({ pattern }) => pattern.test(path))?.known ?? null;
  };
}

/** The paths of plugins, which register their routes with the framework themselves. */
export interface PluginPaths {
  /**
   * @param url the pattern that the framework has
   * @param allow value of `Allow`
   */
  readonly add: (url: string, allow: string) => void;
  /** Value of `Allow` for a request target; null: it is none of them. */
  readonly allowOf: (target: string) => string | null;
}

export function createPluginPaths(): PluginPaths {
  const added: { readonly pattern: RegExp; readonly allow: string }[] = [];
  return {
    add: (url, allow) => {
      added.push({ pattern: new RegExp(patternOf(url.replaceAll(/:(\w+)/g, '{$1}'))), allow });
    },
    allowOf: (target) => {
      const { path } = splitTarget(target);
      return added.find(({ pattern }) => pattern.test(path))?.allow ?? null;
    },
  };
}

/** Source of the regular expression for paths of this pattern. */
export function patternOf(path: string): string {
  const literal = path.split(/\{[^}]+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
  return `^${literal.join('[^/]+')}$`;
}

function knownOf(routes: readonly Route[]): KnownPath {
  const has = (method: Route['method']): boolean => routes.some((route) => route.method === method);
  const methods = [...(has('GET') ? ['GET', 'HEAD'] : []), ...(has('POST') ? ['POST'] : [])];
  const headers = [
    ...(routes.some(({ body }) => body !== undefined) ? ['Content-Type'] : []),
    ...(routes.some(({ repeatable }) => repeatable === true) ? ['Idempotency-Key'] : []),
  ];
  return { allow: [...methods, 'OPTIONS'].join(', '), methods, headers };
}
