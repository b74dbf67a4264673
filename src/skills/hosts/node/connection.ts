import { read, writeSync } from "node:fs";

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

/** `onJob` gets the engine's request; `most` of the code's own may be under way, the rest wait their turn here. */
export function connect(onJob: (params: unknown, connection: Connection) => void): Connection {
  const open = new Map<number, Waiting>();
  const queue: Waiting[] = [];
  let last = 0;
  let most = 1;

  function pump(): void {
    while (open.size < most) {
      const next = queue.shift();
      if (next === undefined) return;
      const id = ++last;
      open.set(id, next);
      send(`{"id":${id},${next.frame}`);
    }
  }

  function receive(line: string): void {
    const { id, method, params, result, error } = JSON.parse(line) as Incoming;
    if (method === "run") {
      most = (params as { openRequests: number }).openRequests;
      onJob(params, connection);
      return;
    }
    const waiting = open.get(id);
    if (waiting === undefined) return;
    open.delete(id);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(callError(error));
    pump();
  }

  const connection: Connection = {
    request(method, params) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const frame = `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
      queue.push({ frame, resolve, reject });
      pump();
      return promise;
    },
    note: (method, params) => send(JSON.stringify({ method, params })),
    finish: (answer) => send(JSON.stringify({ id: 0, ...answer })),
  };
  readLines(receive);
  return connection;
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

/** Reads by hand: a stream costs its module, and a socket the network permission this process does not have. */
function readLines(receive: (line: string) => void): void {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let parts: Buffer[] = [];
  const next = (): void =>
    read(FROM_ENGINE, chunk, 0, CHUNK, null, (error, size) => {
      if (error !== null || size === 0) process.exit(0); // The engine is gone, and with it whoever wanted an answer.
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < size; end = chunk.indexOf(10, start)) {
        parts.push(Buffer.from(chunk.subarray(start, end)));
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        start = end + 1;
        receive(line);
      }
      if (start < size) parts.push(Buffer.from(chunk.subarray(start, size)));
      next();
    });
  next();
}
