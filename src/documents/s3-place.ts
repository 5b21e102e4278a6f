// Parses DOCUMENTS_URL: which bucket of which S3-compatible store.
import { OperatorError } from '../model/operator-error.ts';

/** The place of documents in S3. */
export interface S3Place {
  readonly bucket: string;
  /** '' or ends with a slash. */
  readonly prefix: string;
  /** Null: Amazon's own endpoint. */
  readonly endpoint: string | null;
  readonly region: string;
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`. */
  readonly pathStyle: boolean;
}

/**
 * @param text `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true`; everything after the bucket is optional,
 *   but Amazon's own store needs the region. With an endpoint, `pathStyle` defaults to true: nearly every other store
 *   supports it.
 * @throws OperatorError that describes the fault
 */
export function parseS3Place(text: string): S3Place {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 's3:') throw wrong('is no address that begins with s3://');
  if (url.username !== '' || url.password !== '')
    throw wrong('must not hold the key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (url.port !== '' || url.hash !== '')
    throw wrong('must not have a port or fragment; the address of the store belongs into endpoint=');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(url.hostname))
    throw wrong(`must name a bucket, and "${url.hostname}" is no name of one`);
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) throw wrong(`has the parameter "${name}"; known are ${parameters.join(', ')}`);
    if (url.searchParams.getAll(name).length > 1) throw wrong(`has the parameter "${name}" twice`);
  }
  const endpoint = endpointOf(url.searchParams.get('endpoint'));
  const region = url.searchParams.get('region') ?? (endpoint === null ? '' : 'us-east-1');
  if (!/^[a-z0-9-]{1,50}$/.test(region))
    throw wrong(region === '' ? "needs region= for Amazon's own store" : `has the region "${region}", which is none`);
  const pathStyle = url.searchParams.get('pathStyle') ?? String(endpoint !== null);
  if (pathStyle !== 'true' && pathStyle !== 'false') throw wrong('must have pathStyle=true or pathStyle=false');
  return { bucket: url.hostname, prefix: prefixOf(url.pathname), endpoint, region, pathStyle: pathStyle === 'true' };
}

const parameters: readonly string[] = ['endpoint', 'region', 'pathStyle'];

function endpointOf(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw wrong('must have an endpoint like https://s3.example.com, without login, path, query or fragment');
  }
  return url.origin;
}

function prefixOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part)))
    throw wrong('has a prefix with other characters than letters, digits, dots, hyphens and underscores');
  return parts.map((part) => `${part}/`).join('');
}

function wrong(what: string): OperatorError {
  return new OperatorError(
    `DOCUMENTS_URL ${what}.`,
    'It is written like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1; see docs/documents.md.',
  );
}
