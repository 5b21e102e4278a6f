// Sends a file as a form, in pieces, and reports the progress.

/** Called with how many bytes have been sent, of how many; starts again when the request is retried. */
export type Progress = (sent: number, total: number) => void;

/** The part of a browser's XMLHttpRequest that is used; Node has none. */
interface BrowserRequest {
  readonly open: (method: string, url: string) => void;
  readonly setRequestHeader: (name: string, value: string) => void;
  readonly send: (body: Blob) => void;
  readonly abort: () => void;
  readonly addEventListener: (kind: 'load' | 'error' | 'abort' | 'loadend', listener: () => void) => void;
  readonly getAllResponseHeaders: () => string;
  readonly responseText: string;
  readonly status: number;
  readonly upload: {
    readonly addEventListener: (
      kind: 'progress',
      listener: (event: { readonly loaded: number; readonly total: number }) => void,
    ) => void;
  };
}

declare const XMLHttpRequest: (new () => BrowserRequest) | undefined;

interface Upload {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly signal: AbortSignal;
}

/**
 * A form with one file (RFC 7578). This does not read the file, which may be larger than memory.
 * @param name of the file to send to the service
 */
export function formWithFile(file: Blob, name: string): { readonly type: string; readonly content: Blob } {
  const boundary = `file-${crypto.randomUUID()}`;
  // Escaped as in browsers (HTML, multipart/form-data encoding algorithm).
  const quoted = name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${quoted}"`,
    `Content-Type: ${file.type === '' ? 'application/octet-stream' : file.type}`,
  ];
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    content: new Blob([`${head.join('\r\n')}\r\n\r\n`, file, `\r\n--${boundary}--\r\n`]),
  };
}

/** Sends bytes; in a browser through XMLHttpRequest, because `fetch` reports no progress there. */
export function sendUpload(
  url: string,
  upload: Upload,
  onProgress: Progress,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  return typeof XMLHttpRequest === 'undefined'
    ? sendStream(url, upload, onProgress, fetch)
    : sendByBrowser(new XMLHttpRequest(), url, upload, onProgress);
}

function sendStream(
  url: string,
  { body, ...request }: Upload,
  onProgress: Progress,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  let sent = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      sent += chunk.byteLength;
      onProgress(sent, body.size);
    },
  });
  const streamed = { ...request, body: body.stream().pipeThrough(counted), redirect: 'error' as const };
  // Missing from the types of browsers, which have no half-duplex bodies; the standard requires it for every stream.
  return fetch(url, Object.assign(streamed, { duplex: 'half' as const }));
}

function sendByBrowser(
  request: BrowserRequest,
  url: string,
  { method, headers, body, signal }: Upload,
  onProgress: Progress,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = (): void => request.abort();
    const fail = (): void => reject(signal.aborted ? signal.reason : new TypeError('The upload broke off.'));
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total));
    request.addEventListener('load', () => resolve(responseOf(request)));
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    if (signal.aborted) return fail();
    signal.addEventListener('abort', abort);
    request.send(body);
  });
}

function responseOf(request: BrowserRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r\n/)) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.append(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}
