// A known principal that may not come in: its requests count against its rate limit like any other.
import { Problem } from '../model/problem.ts';
import type { Principal } from './route.ts';

/** Who was recognized, as far as that says whom the request counts for. */
type Recognized = Pick<Principal, 'kind' | 'clientId' | 'subject'>;

/** The refusal (403) of a principal whose token or key is genuine, for example one without the scope. */
export class RefusedPrincipal extends Problem {
  readonly principal: Recognized;

  constructor(principal: Recognized, { slug, detail, extra, headers }: Problem) {
    super(slug, detail, extra, headers);
    this.principal = principal;
  }
}
