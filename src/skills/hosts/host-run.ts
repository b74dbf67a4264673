import type { CodeJob, CodeOutcome, LogLevel } from "./code-job.ts";
import { FrameTooLarge, type JsonObject, ProtocolViolation } from "./frames.ts";
import type { Host } from "./host.ts";
import { LogLines } from "./log-lines.ts";
import { answerRequest } from "./requests.ts";

/** A host that asks and does not read the answers would have them pile up here. */
const MOST_UNREAD = 64 * 1024 * 1024;
/** What a message that carries nothing costs of the output all the same. */
const LEAST_FRAME = 64;
const LONGEST_MESSAGE = 1000;
/** How Node says that a promise was awaited and nothing left that could settle it. */
const NOTHING_LEFT = 13;
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** One job in one host, from the call to its outcome. Whatever the process does, the outcome is a value. */
export class HostRun {
  readonly #host: Host;
  readonly #job: CodeJob;
  readonly #over = new AbortController();
  readonly #outcome = Promise.withResolvers<CodeOutcome>();
  readonly #lines: LogLines;
  #settled = false;
  #open = 0;
  #lastId = 0;
  #output = 0;

  constructor(host: Host, job: CodeJob) {
    this.#host = host;
    this.#job = job;
    this.#lines = new LogLines((level, text) => job.serve.log(level, text));
  }

  async outcome(): Promise<CodeOutcome> {
    const { limits, signal, module, args, call, context } = this.#job;
    const onAbort = () => this.#stop("cancelled", "The run was cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      this.#host.assign({
        limits: {
          wallMs: limits.timeoutMs,
          memoryBytes: Math.min(limits.memoryBytes, this.#host.memoryBytes),
          outputBytes: limits.outputBytes,
        },
        onFrame: (frame, bytes) => this.#receive(frame, bytes),
        onBroken: (error) => this.#breakOff(error),
        onOutput: (stream, chunk) => this.#print(stream, chunk),
      });
      void this.#watchExit();
      this.#host.send({
        id: 0,
        method: "run",
        params: {
          folder: this.#host.folder,
          module: module.replace(/^(\.\/)+/, ""),
          function: this.#job.function,
          openRequests: limits.openRequests,
          call: call ?? "keywords",
          context: { ...context, args },
        },
      });
      const outcome = await this.#outcome.promise;
      // What it printed before it answered came on other pipes: it is there already, but not yet read.
      await new Promise((done) => setImmediate(done));
      return outcome;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#over.abort();
      this.#lines.end();
    }
  }

  #receive(frame: JsonObject, bytes: number): void {
    if (this.#settled) return; // Whatever it says after its answer, nothing is done in its name any more.
    const { id, method, params } = frame;
    if (typeof method !== "string") {
      if (id !== 0) throw new ProtocolViolation("an answer to what nobody asked");
      this.#finish(frame, bytes);
    } else if (id === undefined) {
      this.#note(method, params, bytes);
    } else {
      this.#request(id, method, params);
    }
  }

  #finish(frame: JsonObject, bytes: number): void {
    if (!this.#count(bytes)) return;
    const { error } = frame;
    if (error === undefined) {
      this.#settle({ kind: "returned", value: frame["result"] ?? null });
      return;
    }
    const said = (typeof error === "object" && error !== null ? error : {}) as JsonObject;
    const text = (key: string) => (typeof said[key] === "string" ? said[key] : undefined);
    const [code, stack] = [text("code"), text("stack")];
    if (text("name") === "MemoryError") {
      this.#stop("memory", `It needs more memory than ${this.#job.limits.memoryBytes} bytes`);
      return;
    }
    this.#settle({
      kind: "threw",
      name: text("name") ?? "Error",
      message: text("message") ?? "",
      ...(code === undefined ? {} : { code }),
      ...(stack === undefined ? {} : { stack }),
    });
  }

  #note(method: string, params: unknown, bytes: number): void {
    if (!this.#count(Math.max(bytes, LEAST_FRAME))) return;
    const given = (typeof params === "object" && params !== null ? params : {}) as JsonObject;
    if (method === "log") {
      const level = LEVELS.find((level) => level === given["level"]) ?? "info";
      this.#lines.say(level, String(given["text"]));
    } else if (method === "progress") {
      const { current, total, message } = given;
      this.#job.serve.progress({
        ...(typeof current === "number" ? { current } : {}),
        ...(typeof total === "number" ? { total } : {}),
        ...(typeof message === "string" ? { message: message.slice(0, LONGEST_MESSAGE) } : {}),
      });
    } else throw new ProtocolViolation("a note nobody reads");
  }

  /** Ids count up by one: a used, skipped or invented one is not our SDK's. */
  #request(id: unknown, method: string, params: unknown): void {
    const { limits } = this.#job;
    if (typeof id !== "number" || id !== this.#lastId + 1)
      throw new ProtocolViolation("a request out of order");
    if (++this.#lastId > limits.requests || this.#job.spend?.() === false)
      throw new ProtocolViolation(`more than ${limits.requests} requests`);
    if (++this.#open > limits.openRequests)
      throw new ProtocolViolation(`more than ${limits.openRequests} requests at once`);
    if (this.#host.unread > MOST_UNREAD) throw new ProtocolViolation("requests without reading the answers");
    void this.#answer(id, method, params);
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    try {
      const answer = await answerRequest(method, params, this.#job.serve, this.#over.signal);
      this.#open--;
      if (!this.#over.signal.aborted) this.#host.send({ id, ...answer });
    } catch (error) {
      this.#breakOff(error);
    }
  }

  async #watchExit(): Promise<void> {
    const { timeoutMs, memoryBytes, outputBytes } = this.#job.limits;
    const { stopped, status, signal, said } = await this.#host.over;
    if (stopped === "wall") this.#stop("timeout", `It took longer than ${timeoutMs} ms`);
    else if (stopped === "memory" || said.includes("JavaScript heap out of memory"))
      this.#stop("memory", `It needs more memory than ${memoryBytes} bytes`);
    else if (stopped === "output") this.#stop("output", `It printed more than ${outputBytes} bytes`);
    else if (stopped === "cancelled") this.#stop("cancelled", "Deputy is stopping");
    else if (stopped === "processes") this.#stop("crashed", "It started too many threads");
    else if (status === NOTHING_LEFT && this.#job.language === "typescript")
      this.#stop("crashed", "It waits for something that nothing is left to bring about");
    else this.#stop("crashed", `Its process ended without an answer (${signal ?? `status ${status}`})`);
  }

  #print(stream: "stdout" | "stderr", chunk: Buffer): void {
    if (this.#count(chunk.length)) this.#lines.add(stream, chunk);
  }

  #count(bytes: number): boolean {
    if (this.#over.signal.aborted) return false;
    this.#output += bytes;
    if (this.#output <= this.#job.limits.outputBytes) return true;
    this.#stop("output", `It returned and printed more than ${this.#job.limits.outputBytes} bytes`);
    return false;
  }

  #breakOff(error: unknown): void {
    if (error instanceof FrameTooLarge) this.#stop("output", `It sent ${error.message}`);
    else if (error instanceof ProtocolViolation) this.#stop("crashed", `It sent ${error.message}`);
    else this.#outcome.reject(error);
  }

  #stop(why: Extract<CodeOutcome, { kind: "stopped" }>["why"], detail: string): void {
    this.#settle({ kind: "stopped", why, detail });
    this.#host.kill();
  }

  #settle(outcome: CodeOutcome): void {
    this.#settled = true;
    this.#outcome.resolve(outcome);
  }
}
