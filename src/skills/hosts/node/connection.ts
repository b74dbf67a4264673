const { read, readSync, writeSync } = process.getBuiltinModule("node:fs");

/** The host's side of the pipe to the engine: requests out on 4, answers in on 3. */
export interface Connection {
  request(method: string, params: object): Promise<unknown>;
  note(method: string, params: object): void;
  /** The answer to the engine's one request. */
  finish(answer: object): void;
}

interface Waiting {
  readonly frame: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Incoming {
  readonly id: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

const FROM_ENGINE = 3;
const TO_ENGINE = 4;
const CHUNK = 256 * 1024;

/** Its first message is the job, which says how many requests may be under way; the rest wait their turn here. */
export function connect(): Connection & { takeJob(): unknown } {
  const open = new Map<number, Waiting>();
  const queue: Waiting[] = [];
  const lines = new Lines();
  let last = 0;
  let most = 1;

  function pump(): void {
    while (open.size < most) {
      const next = queue.shift();
      if (next === undefined) return;
      const id = ++last;
      open.set(id, next);
      lines.readOn(receive);
      send(`{"id":${id},${next.frame}`);
    }
  }

  function receive(line: string): void {
    const { id, result, error } = JSON.parse(line) as Incoming;
    const waiting = open.get(id);
    if (waiting === undefined) return;
    open.delete(id);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(callError(error));
    pump();
  }

  return {
    request(method, params) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const frame = `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
      queue.push({ frame, resolve, reject });
      pump();
      return promise;
    },
    note: (method, params) => send(JSON.stringify({ method, params })),
    finish: (answer) => send(JSON.stringify({ id: 0, ...answer })),
    /** Blocks: there is nothing else to do, and no thread has to wake another. */
    takeJob() {
      const { params } = JSON.parse(lines.readFirst()) as { params: { openRequests: number } };
      most = params.openRequests;
      return params;
    },
  };
}

function callError({ code, message, hint }: NonNullable<Incoming["error"]>): Error {
  const error = new Error(message);
  error.name = "DeputyError";
  return Object.assign(error, { code }, hint === undefined ? {} : { hint });
}

function send(frame: string): void {
  const bytes = Buffer.from(`${frame}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(TO_ENGINE, bytes, at);
}

/** Read by hand: a stream costs its module, and a socket the network permission this process does not have. */
class Lines {
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  #parts: Buffer[] = [];
  #reading = false;

  readFirst(): string {
    for (;;) {
      const [line] = this.#cut(readSync(FROM_ENGINE, this.#chunk));
      if (line !== undefined) return line; // The engine says nothing more before it is asked.
    }
  }

  /** From the first request on: until then there is nothing to be read. */
  readOn(receive: (line: string) => void): void {
    if (this.#reading) return;
    this.#reading = true;
    const next = (): void =>
      read(FROM_ENGINE, this.#chunk, 0, CHUNK, null, (error, size) => {
        if (error !== null) process.exit(0);
        for (const line of this.#cut(size)) receive(line);
        next();
      });
    next();
  }

  #cut(size: number): string[] {
    if (size === 0) process.exit(0); // The engine is gone, and with it whoever wanted an answer.
    const lines: string[] = [];
    let start = 0;
    for (let end = this.#chunk.indexOf(10); end >= 0 && end < size; end = this.#chunk.indexOf(10, start)) {
      this.#parts.push(Buffer.from(this.#chunk.subarray(start, end)));
      lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      start = end + 1;
    }
    if (start < size) this.#parts.push(Buffer.from(this.#chunk.subarray(start, size)));
    return lines;
  }
}
