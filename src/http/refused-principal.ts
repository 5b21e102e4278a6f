// A principal who is known but may not come in: its requests count against its rate like those of any other.
import { Problem } from '../model/problem.ts';

/** The refusal (403) of a principal whose token or key is genuine, such as one without the scope. */
export class RefusedPrincipal extends Problem {
  /** Id of the client or of the key. */
  readonly clientId: string;

  constructor(clientId: string, { slug, detail, extra, headers }: Problem) {
    super(slug, detail, extra, headers);
    this.clientId = clientId;
  }
}
